import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSetupError } from './setup-error.ts'

const MIGRATION_NAME = /^(?<version>\d{4})_(?<name>[a-z0-9_]+)\.sql$/

export interface SqlFile {
  fileName: string
  text: string
}

export interface Migration extends SqlFile {
  version: number
  name: string
  sha256: string
}

/** All functions are applied together, so one hash stands for the set. */
export interface FunctionSet {
  files: SqlFile[]
  sha256: string
}

/** Reads `NNNN_name.sql` files, ordered by version. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const migrations = (await readSqlFiles(directory)).map(parseMigration)
  const duplicate = migrations.find((migration, index) => migration.version === migrations[index - 1]?.version)
  if (duplicate) throw new DatabaseSetupError(`Two migrations have the version of ${duplicate.fileName}.`)
  return migrations
}

/** Reads the functions, each noun in a folder of its own. */
export async function readFunctions(directory: string): Promise<FunctionSet> {
  const files = await readSqlFiles(directory)
  return { files, sha256: hash(JSON.stringify(files)) }
}

function parseMigration({ fileName, text }: SqlFile): Migration {
  const { version, name } = MIGRATION_NAME.exec(fileName)?.groups ?? {}
  if (!version || !name) throw new DatabaseSetupError(`The migration ${fileName} is not named like 0001_name.sql.`)
  return { fileName, text, version: Number(version), name, sha256: hash(text) }
}

async function readSqlFiles(directory: string): Promise<SqlFile[]> {
  const names = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(names.map(async (fileName) => ({ fileName, text: await readFile(join(directory, fileName), 'utf8') })))
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
