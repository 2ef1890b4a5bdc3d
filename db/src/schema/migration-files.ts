import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { DatabaseSetupError } from './setup-error.ts'

const MIGRATION_NAME = /^(?<version>\d{4})_(?<name>[a-z0-9_]+)(?<online>\.online)?\.sql$/
const LEAST_CODE = /^-- least code: (\d{4})$/m
/** What older code may still name. */
const BREAKING = /\b(drop (table|column|function|view|type)|rename)\b/
const COMMENTS = /--.*$/gm
const AFTER = /^-- after: (\d{4})$/gm

export interface SqlFile {
  fileName: string
  text: string
}

export interface Migration extends SqlFile {
  version: number
  name: string
  sha256: string
  /** Whether it runs beside the service, outside a transaction: see `online.ts`. */
  isOnline: boolean
  /** The least version of code that may work on the database afterwards. Code's version is that of its newest migration. */
  leastCode: number
  /** Online migrations that must be finished before. */
  after: number[]
}

/** All functions are applied together, so one hash and one version stand for the set. */
export interface FunctionSet {
  files: SqlFile[]
  sha256: string
  version: number
}

/** The file beside the functions with the version of the set, which `npm run generate` raises with each change. */
const FunctionsVersion = z.object({ version: z.int() })

/** Reads `NNNN_name.sql` and `NNNN_name.online.sql` files, ordered by version. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const migrations = (await readSqlFiles(directory)).map(parseMigration)
  const duplicate = migrations.find((migration, index) => migration.version === migrations[index - 1]?.version)
  if (duplicate) throw new DatabaseSetupError(`Two migrations have the version of ${duplicate.fileName}.`)
  return migrations
}

/** Reads the functions, each noun in a folder of its own, and the version of the set. */
export async function readFunctions(directory: string): Promise<FunctionSet> {
  const { version } = FunctionsVersion.parse(JSON.parse(await readFile(join(directory, 'version.json'), 'utf8')))
  return { ...(await readFunctionFiles(directory)), version }
}

export async function readFunctionFiles(directory: string): Promise<Omit<FunctionSet, 'version'>> {
  const files = await readSqlFiles(directory)
  return { files, sha256: sha256Of(JSON.stringify(files)) }
}

function parseMigration({ fileName, text }: SqlFile): Migration {
  const { version, name, online } = MIGRATION_NAME.exec(fileName)?.groups ?? {}
  if (!version || !name) throw new DatabaseSetupError(`The migration ${fileName} is not named like 0001_name.sql.`)
  const leastCode = Number(LEAST_CODE.exec(text)?.[1] ?? 0)
  if (leastCode === 0 && BREAKING.test(text.replace(COMMENTS, '')))
    throw new DatabaseSetupError(
      `The migration ${fileName} drops or renames: it must say which code can do without, as "-- least code: 0001".`,
    )
  const after = [...text.matchAll(AFTER)].map(([, number]) => Number(number))
  return { fileName, text, version: Number(version), name, sha256: sha256Of(text), isOnline: online !== undefined, leastCode, after }
}

async function readSqlFiles(directory: string): Promise<SqlFile[]> {
  const names = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(names.map(async (fileName) => ({ fileName, text: await readFile(join(directory, fileName), 'utf8') })))
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
