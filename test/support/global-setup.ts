import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseAddress } from '@earshot/db'
import { startEmbeddedPostgres } from '@earshot/db/embedded'
import { prepareDatabase } from '@earshot/db/schema'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { copyDataDir } from './copy-data-dir.ts'
import { createSecrets } from './secrets.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: DatabaseAddress
    /** A data directory as a start of the service leaves it behind: an embedded PostgreSQL, migrated and stopped. */
    preparedDataDir: string
  }
}

const MEMORY = '/dev/shm'
/** Fewer in the list mean that the extension does not work. */
const MIN_STATEMENTS = 10
const ENOUGH_BYTES = 4 * 1024 ** 3

let undo = async () => {}

/** Starts one PostgreSQL for the whole run. Its migrated database is the template that each test file clones. */
export async function setup(project: TestProject): Promise<void> {
  const directory = mkdtempSync(join(quickDirectory(), 'earshot-suite-'))
  chmodSync(directory, 0o711)
  const preparedDataDir = join(directory, 'prepared')
  await prepareDataDir(preparedDataDir)
  const server = await startWatched(preparedDataDir, join(directory, 'suite'))
  project.provide('postgres', server.connection)
  project.provide('preparedDataDir', preparedDataDir)
  undo = async () => {
    const secrets = createSecrets().foundIn(await statementsOf(server.connection))
    await server.stop()
    rmSync(directory, { recursive: true })
    if (secrets.length > 0) throw new Error(`Statements were sent with secrets in their text: ${secrets.join(', ')}`)
  }
}

async function prepareDataDir(dataDir: string): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDir })
  await prepareDatabase(server.connection)
  await server.stop()
}

/** Starts a copy with pg_stat_statements, which keeps the text of every statement, those inside functions too. */
async function startWatched(preparedDataDir: string, dataDir: string) {
  copyDataDir(preparedDataDir, dataDir)
  const first = await startEmbeddedPostgres({ dataDir })
  await withClient(first.connection, async (sql) => {
    await sql`alter system set shared_preload_libraries = 'pg_stat_statements'`
    await sql`alter system set pg_stat_statements.track = 'all'`
    // Nothing of this server is read after a crash. Durability is tested on servers that the service starts, with its own settings.
    await sql`alter system set fsync = off`
    await sql`alter system set full_page_writes = off`
  })
  await first.stop()
  const second = await startEmbeddedPostgres({ dataDir })
  await withClient(second.connection, (sql) => sql`create extension pg_stat_statements`)
  return second
}

async function statementsOf(server: DatabaseAddress): Promise<string> {
  return withClient(server, async (sql) => {
    const rows = await sql<{ query: string }[]>`select query from pg_stat_statements`
    if (rows.length < MIN_STATEMENTS) throw new Error(`pg_stat_statements has seen no more than ${rows.length} statements`)
    return rows.map(({ query }) => query).join('\n')
  })
}

async function withClient<Result>(server: DatabaseAddress, work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres({ ...server, database: 'postgres', max: 1, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

/** A clone of the template is a copy of some hundred files: in memory, where there is room, it takes a tenth of the time. */
function quickDirectory(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir()
}

export async function teardown(): Promise<void> {
  await undo()
}
