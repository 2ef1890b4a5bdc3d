import postgres from 'postgres'
import { expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { openTestDatabase } from '../support/test-database.ts'

const RECORDS = 3_000
/** Measured: 1 to 2. With a nested loop, more than 30. */
const MOST_TIMES_AS_LONG = 8

test('an update of many submissions takes no longer on a connection that updated one before', { timeout: 120_000 }, async () => {
  const store = await openTestDatabase()
  try {
    const { project } = await makeTeam(store.database)
    const { team_id, project_id } = project
    await store.database.run(
      `insert into submissions (team_id, project_id, kind, channel, body, author_name)
       select $1, $2, 'text', 'api', 'Words', 'Ada' from generate_series(1, $3::int)`,
      [team_id, project_id, RECORDS],
    )
    const touch = (sql: postgres.Sql, count: number) => sql`
      update submissions
         set updated_at = updated_at + interval '1 second'
       where id in (select id from submissions where team_id = ${team_id} and project_id = ${project_id} limit ${count})`
    const timeMs = async (warmUps: number[]) => {
      const sql = postgres({ ...store.address, max: 1 })
      try {
        await sql`select 1`
        for (const count of warmUps) await touch(sql, count)
        const startedAt = performance.now()
        expect((await touch(sql, RECORDS)).count).toBe(RECORDS)
        return performance.now() - startedAt
      } finally {
        await sql.end()
      }
    }
    // The slower of two, because a pause of the machine may make either long, but not short.
    const freshMs = Math.max(await timeMs([]), await timeMs([]))
    expect(await timeMs([1])).toBeLessThan(MOST_TIMES_AS_LONG * freshMs)
    const [{ told } = {}] = await store.database.run<{ told: number }>(
      "select count(*)::int as told from submission_feed_waiting where change = 'updated'",
      [],
    )
    expect(told).toBe(3 * RECORDS + 1)
  } finally {
    await store.close()
  }
})

test('a batch of a long backlog reads the oldest changes alone', async () => {
  const store = await openTestDatabase()
  const sql = postgres({ ...store.address, max: 1 })
  try {
    const { project } = await makeTeam(store.database)
    await sql`
      insert into submission_feed_waiting (team_id, project_id, submission_id, kind, state, change, changed_at)
      select ${project.team_id}, ${project.project_id}, uuidv7(), 'text', 'pending', 'updated', now() - n * interval '1 second'
        from generate_series(1, 20000) n`
    // After five of them PostgreSQL plans for any parameter.
    for (let batch = 0; batch < 8; batch += 1) {
      const read = await sql.begin(async (tx) => {
        const readSoFar = async () => {
          const [table] = await tx<{ read: number }[]>`
            select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'submission_feed_waiting'`
          return table?.read ?? Number.NaN
        }
        const before = await readSoFar()
        const [{ changes } = {}] = await tx`select number_submission_feed(1000) as changes`
        expect(changes).toBe(1_000)
        return (await readSoFar()) - before
      })
      expect(read).toBeLessThan(5_000)
    }
    const [{ waiting } = {}] = await sql<{ waiting: number }[]>`select count(*)::int as waiting from submission_feed_waiting`
    expect(waiting).toBe(12_000)
  } finally {
    await sql.end()
    await store.close()
  }
})
