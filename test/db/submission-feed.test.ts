import { numberSubmissionFeed } from '@earshot/db/dispatch'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { explain, sentBy } from './statement-plan.ts'

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
    const sent = await sentBy(store.database, (tx) => numberSubmissionFeed(tx, { max: 1_000 }))
    const numbering = sent.find(({ text }) => text.includes('delete from'))
    if (!numbering) throw new Error('Nothing was numbered')
    // The second takes what the first left.
    for (const mode of ['custom', 'generic'] as const) {
      const { sortedRows, scannedRows } = await explain(sql, mode, numbering)
      expect(Math.max(...sortedRows), mode).toBeLessThanOrEqual(1_000)
      expect(scannedRows, mode).toBeLessThan(5_000)
    }
    const [{ waiting } = {}] = await sql<{ waiting: number }[]>`select count(*)::int as waiting from submission_feed_waiting`
    expect(waiting).toBe(18_000)
  } finally {
    await sql.end()
    await store.close()
  }
})
