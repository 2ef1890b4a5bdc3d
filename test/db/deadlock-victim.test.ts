import { randomBytes } from 'node:crypto'
import { openDatabase, receiveSubmission } from '@earshot/db'
import { expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'

test('a lone submission that PostgreSQL ends because of a deadlock is stored all the same, and counted once', async () => {
  const store = await openTestDatabase()
  const operator = openDatabase({ address: store.address, poolSize: 2, applicationName: 'earshot test' })
  const team = await makeTeam(store.database)
  const leave = (fingerprint: Buffer) =>
    receiveSubmission(store.database, {
      publicAccess: { publicKey: team.publicKey, subject: 'visitor', address: 'visitor', limit: { max: 10, windowSeconds: 3600 } },
      fields: { kind: 'text', channel: 'public', body: 'Lovely', author_name: 'Ada', consent_granted: true },
      revokeTokenHash: randomBytes(32),
      fingerprint,
    })
  const words = randomBytes(32)
  const first = await leave(words)
  const second = await operator.transaction(async (tx) => {
    // The other side does not look for a deadlock, so the submission is the one that PostgreSQL ends.
    await tx.run("set local deadlock_timeout = '60s'", [])
    await tx.run('select from visitor_fingerprints where fingerprint = $1 for update', [words])
    const left = leave(words)
    await until('the submission has locked its counter and waits', async () => {
      const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%receive_submissions%'"
      return (await operator.run(waiting, [])).length > 0
    })
    await tx.run("update rate_windows set window_start = window_start where subject = 'visitor'", [])
    return { left }
  })
  expect(await second.left).toMatchObject({ id: first.id, is_repeat: true, used: 2 })
  await store.database.close()
  const [found] = await operator.run('select deadlocks::int from pg_stat_database where datname = current_database()', [])
  expect(found).toEqual({ deadlocks: 1 })
  await operator.close()
  await store.close()
})
