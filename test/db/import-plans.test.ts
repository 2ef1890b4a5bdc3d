import { type ImportItem, openDatabase, storeImportRows } from '@earshot/db'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

const BATCHES = 10
const BATCH_ROWS = 300

let store: TestDatabase
beforeAll(async () => {
  store = await openTestDatabase()
})
afterAll(() => store.close())

test.for(['external_id', 'email+body'] as const)(
  'a batch looks its records up by %s one by one, also when its plan was first made for an empty table',
  async (dedupe_by) => {
    await asOwner((sql) => sql`analyze submissions`)
    const team = await makeTeam(store.database)
    const ref = { ...team.project, import_id: await beginImport(team, dedupe_by) }
    const before = await readTuples()
    // What a connection has read is counted when it closes.
    const database = openDatabase({ address: store.address, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot test' })
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const items = Array.from({ length: BATCH_ROWS }, (_row, number) => itemOf(batch * BATCH_ROWS + number + 1))
      expect(await storeImportRows(database, ref, { from: batch * BATCH_ROWS + 1, items, isLast: false, macOf: () => Buffer.of() })).toBe(
        'stored',
      )
    }
    await database.close()
    const all = BATCHES * BATCH_ROWS
    await expect.poll(async () => (await readTuples()) - before).toBeGreaterThanOrEqual(0)
    // Walking the project for each row would read millions.
    expect((await readTuples()) - before).toBeLessThan(10 * all)
    const [{ count } = {}] = await store.database.run<{ count: number }>(
      'select count(*)::int as count from submissions where team_id = $1',
      [team.id],
    )
    expect(count).toBe(all)
  },
)

async function beginImport({ project }: Team, dedupe_by: string): Promise<string> {
  const [row] = await store.database.run<{ id: string }>(
    `insert into imports (team_id, project_id, state, target, file_name, mapping, dedupe_by, mode, dry_run, suppress_events, read_records)
     values ($1, $2, 'running', 'testimonials', 'file.csv', '{}', $3, 'create', false, true, 1) returning id`,
    [project.team_id, project.project_id, dedupe_by],
  )
  return row?.id ?? ''
}

function itemOf(row: number): ImportItem {
  const fields = {
    ...({ kind: 'testimonial', channel: 'import', body: `Words of ${row}.`, author_name: 'Ada' } as const),
    ...{ author_email: `person${row}@example.com`, external_id: `A-${row}` },
    ...{ consent_granted: false, tags: [], metadata: {}, featured: false },
  }
  return { row, position: { records: row + 1, bytes: row, lines: row + 1 }, content: { fields }, text: () => '', email: null }
}

async function readTuples(): Promise<number> {
  const [row] = await asOwner(
    (sql) => sql<{ count: number }[]>`select sum(idx_tup_read)::int as count from pg_stat_user_indexes where relname = 'submissions'`,
  )
  return row?.count ?? 0
}

async function asOwner<Rows>(work: (sql: postgres.Sql) => Promise<Rows>): Promise<Rows> {
  const sql = postgres({ ...store.address, max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}
