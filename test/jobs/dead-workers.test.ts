import { forgetDeadWorkers, registerWorker } from '@earshot/db/dispatch'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(() => fixture.close())

/** Registers a worker whose heartbeats came from so many seconds ago to so many. */
async function makeWorker({ from, to }: { from: number; to: number }): Promise<number> {
  const id = await registerWorker(fixture.database, { jobPoolId: null })
  await fixture.database.run(
    `update webhook_workers
        set started_at = now() - interval '1 hour', steady_since = now() - $2 * interval '1 second', seen_at = now() - $3 * interval '1 second'
      where id = $1`,
    [id, from, to],
  )
  return id
}

async function workers(): Promise<number[]> {
  return (await fixture.database.run<{ id: number }>('select id from webhook_workers order by id', [])).map(({ id }) => id)
}

test.for([
  ['since before its last', { from: 60, to: 4 }, 1],
  ['for long after it', { from: 8, to: 4 }, 1],
  ['for too short a time after it', { from: 6, to: 4 }, 0],
  ['since before its last, and ended with it', { from: 60, to: 9 }, 0],
] as const)('a worker that starts takes another for dead when heartbeats of a third went on %s', async ([, heartbeats, dead]) => {
  const first = await makeWorker({ from: 60, to: 10 })
  const witness = await makeWorker(heartbeats)
  const started = await registerWorker(fixture.database, { jobPoolId: null })
  expect(await forgetDeadWorkers(fixture.database, started)).toBe(dead)
  expect(await workers()).toEqual(dead ? [witness, started] : [first, witness, started])
})
