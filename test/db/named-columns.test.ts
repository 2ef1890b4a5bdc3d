import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

// A prepared statement whose result changes with its tables is refused (0A000), and so is every statement like it on every
// connection, once, after each upgrade that adds a column.

/** What no table of ours has a column of. */
const STRANGE = 'point'
const SOURCES = fileURLToPath(new URL('../../db/src/', import.meta.url))
/** They run no statements, or only once. */
const WITHOUT_STATEMENTS = /^(embedded|driver|schema)\//
/** Keys of statements that are built for a combination of filters: a span in time, a reach, filters of any list. */
const SPANS = ['ever', 'since']
const FILTERS = ['', 'action', 'type', 'types', 'state', 'event_type', 'event_id', 'replay_id', 'tag', 'kind', 'channel', 'state,channel']
const OTHER_KEYS = ['', 'pending', 'projects', 'members', 'webhooks']
const KEYS = SPANS.flatMap((span) =>
  FILTERS.flatMap((filter) => [`${span},${filter}`, `all,${span},${filter}`, `public,${span},${filter}`]).concat(OTHER_KEYS),
)

const hasResult = vi.hoisted(() => (text: string) => !/^(lock table|set transaction) /.test(text.trim()))
const texts = vi.hoisted(() => new Set<string>())
const byKey = vi.hoisted(() => [] as ((key: string) => void)[])

vi.mock('../../db/src/sql/statement.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../db/src/sql/statement.ts')>()
  // A statement gives its text to whatever runs it. Its source and values only pass through here, so their types do not matter.
  const recorder = { run: async (text: string) => void (hasResult(text) && texts.add(text.trim())) }
  const record = (made: (tx: never, values: never) => unknown) => made(recorder as never, {} as never)
  return {
    ...original,
    statement: (source: never) => {
      const made = original.statement(source)
      record(made)
      return made
    },
    statementsByKey: (build: never) => {
      const made = original.statementsByKey(build)
      byKey.push((key) => record(made(key)))
      return made
    },
  }
})

let store: TestDatabase
let owner: postgres.Sql
beforeAll(async () => {
  store = await openTestDatabase()
  const { host = '', port = 5432, user = '', password = '', database = '' } = store.address
  owner = postgres({ host, port, user, password, database, max: 1, onnotice: () => {} })
  // Other test files of this process have loaded the sources, and will again.
  vi.resetModules()
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  for (const file of files)
    if (file.endsWith('.ts') && !WITHOUT_STATEMENTS.test(file)) await import(pathToFileURL(join(SOURCES, file)).href)
  for (const build of byKey) for (const key of KEYS) buildIfKnown(build, key)
})
afterAll(async () => {
  vi.doUnmock('../../db/src/sql/statement.ts')
  vi.resetModules()
  await owner.end()
  await store.close()
})

test('a column that an upgrade adds is in no statement’s result', async () => {
  const tables = await owner<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
  for (const { name } of tables) await owner.unsafe(`alter table ${name} add column added_by_an_upgrade ${STRANGE}`)
  const problems: string[] = []
  for (const text of texts) {
    const types = await resultTypes(text).catch((error: Error) => error.message)
    if (typeof types === 'string' || types.includes(STRANGE)) problems.push(`${types}: ${text}`)
  }
  expect(texts.size).toBeGreaterThan(200)
  expect(problems).toEqual([])
})

/** A key of one list means nothing to another. */
function buildIfKnown(build: (key: string) => void, key: string): void {
  try {
    build(key)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}

async function resultTypes(text: string): Promise<string[]> {
  await owner.unsafe(`prepare one as ${text}`)
  const [row] = await owner<
    { types: string[] }[]
  >`select coalesce(result_types::text[], '{}') as types from pg_prepared_statements where name = 'one'`
  await owner.unsafe('deallocate one')
  return row?.types ?? []
}
