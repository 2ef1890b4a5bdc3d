import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import { EmbeddedPostgresError, errorCode } from './errors.ts'
import { LOGIN_ROLE } from './initialise.ts'
import type { ServerFiles } from './server-files.ts'
import { PORT } from './socket-dir.ts'

const DATABASE = 'earshot'

/** Options for postgres.js and pg alike; `host` is the socket's directory. */
export interface EmbeddedConnection {
  host: string
  port: number
  user: string
  password: string
  database: string
}

export function describeConnection(files: ServerFiles, socketDir: string): EmbeddedConnection {
  return { host: socketDir, port: PORT, user: LOGIN_ROLE, password: readPassword(files), database: DATABASE }
}

/** Creates the database unless it exists: a first start may have been interrupted between the cluster and the database. */
export async function ensureDatabase(connection: EmbeddedConnection): Promise<void> {
  const sql = postgres({ ...connection, database: 'postgres', max: 1, onnotice: () => {} })
  try {
    const found = await sql`select from pg_database where datname = ${connection.database}`
    if (found.length === 0) await sql`create database ${sql(connection.database)}`
  } catch (error) {
    // A service and a command beside it may create it at once: duplicate_database, unique_violation.
    if (!['42P04', '23505'].includes(errorCode(error) ?? '')) throw error
  } finally {
    await sql.end()
  }
}

function readPassword({ passwordFile }: ServerFiles): string {
  try {
    return readFileSync(passwordFile, 'utf8').trim()
  } catch (error) {
    throw new EmbeddedPostgresError(`The database's password in ${passwordFile} cannot be read: ${errorCode(error)}.`, { cause: error })
  }
}
