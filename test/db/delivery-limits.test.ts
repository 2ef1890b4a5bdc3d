import { setTimeout as delay } from 'node:timers/promises'
import { claimDeliveries, type EndpointSlots, findDueEndpoints, registerWorker } from '@earshot/db/dispatch'
import { readBacklog } from '@earshot/db/maintenance'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'
import { sentBy } from './statement-plan.ts'

const LIMIT = 1_000
/** What a claim that is late by a tenth of a second gets at once. */
const BURST = 101
const CLAIMERS = 4
const RACE_MS = 3_000

let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(() => fixture.close())

test('claims that run into each other get the limit together, and never more', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/', { events: ['submission.created'] })
  await fixture.setLimit(id, LIMIT)
  await fixture.addBacklog(id, (2 * LIMIT * RACE_MS) / 1_000)
  const endMs = performance.now() + RACE_MS
  const race = async (workerId: number) => {
    while (performance.now() < endMs) await claimUpTo(id, LIMIT, workerId)
  }
  await Promise.all(Array.from({ length: CLAIMERS }, async () => race(await newWorker())))

  const [claimed] = await fixture.database.run<{ count: number; seconds: number; workers: number }>(COUNT_CLAIMED, [id])
  expect(claimed?.workers).toBeGreaterThan(1)
  expect(claimed?.count).toBeLessThanOrEqual(LIMIT * (claimed?.seconds ?? 0) + BURST)
  expect(claimed?.count).toBeGreaterThanOrEqual(0.9 * LIMIT * (claimed?.seconds ?? 0))
})

test('a claim that waits for nobody leaves out an endpoint that another one claims for', async () => {
  const [first, second] = [await fixture.addEndpoint('http://127.0.0.1:9/'), await fixture.addEndpoint('http://127.0.0.1:9/')]
  for (const { id } of [first, second]) await fixture.setLimit(id, LIMIT)
  await fixture.emit()
  const workerId = await newWorker()
  const slots = [first, second].map(({ id }) => slotsOf(id, 10))
  await fixture.database.transaction(async (tx) => {
    await tx.run('select from webhook_limits where endpoint_id = $1 for no key update', [first.id])
    expect(await claimDeliveries(fixture.database, { workerId, slots })).toMatchObject([{ endpoint_id: second.id }])
  })
  expect(await claimDeliveries(fixture.database, { workerId, slots })).toMatchObject([{ endpoint_id: first.id }])
})

test('a claim says for how long the limit allows nothing more, and a look says the same', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/', { events: ['submission.created'] })
  await fixture.setLimit(id, 2)
  await fixture.addBacklog(id, 3)
  const [first, ...others] = await claimUpTo(id, 10)
  expect(others).toEqual([])
  expect(first?.limited_for_ms).toBeGreaterThan(390)
  expect(first?.limited_for_ms).toBeLessThanOrEqual(500)
  const [due] = (await findDueEndpoints(fixture.database)).due
  expect(due).toMatchObject({ endpoint_id: id, max_per_second: 2 })
  expect(due?.limited_for_ms).toBeGreaterThan(0)
  expect(due?.limited_for_ms).toBeLessThanOrEqual(first?.limited_for_ms ?? 0)
  expect(await claimUpTo(id, 10)).toEqual([])
  await delay(due?.limited_for_ms)
  expect(await claimUpTo(id, 10)).toHaveLength(1)
})

test('a limit that is removed and set again knows what was sent a moment ago', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/', { events: ['submission.created'] })
  await fixture.setLimit(id, 1)
  await fixture.addBacklog(id, 2)
  const workerId = await newWorker()
  expect(await claimUpTo(id, 1, workerId)).toHaveLength(1)
  await fixture.setLimit(id, null)
  await fixture.setLimit(id, 1)
  expect(await claimUpTo(id, 1, workerId)).toEqual([])
})

test('one that had nothing to send for long does not get it all at once', async () => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/', { events: ['submission.created'] })
  await fixture.setLimit(id, 100)
  await fixture.addBacklog(id, 50)
  await fixture.database.run("update webhook_limits set next_send_at = now() - interval '1 day'", [])
  expect(await claimUpTo(id, 50)).toHaveLength(11)
})

test('a worker that does not know of a limit yet gets nothing for its endpoint, and one that does gets all others too', async () => {
  const [free, limited] = [await fixture.addEndpoint('http://127.0.0.1:9/'), await fixture.addEndpoint('http://127.0.0.1:9/')]
  await fixture.setLimit(limited.id, 1)
  for (const { id } of [free, limited]) await fixture.addBacklog(id, 5)
  const workerId = await newWorker()
  const claim = async (max_per_second: number | null) => {
    const slots = [
      { ...slotsOf(free.id, 2), max_per_second: null },
      { ...slotsOf(limited.id, 2), max_per_second },
    ]
    const claimed = await claimDeliveries(fixture.database, { workerId, slots })
    return claimed.map(({ endpoint_id, limited_for_ms }) => [endpoint_id === free.id ? 'free' : 'limited', limited_for_ms !== null]).sort()
  }
  const twoOfFree = [
    ['free', false],
    ['free', false],
  ]
  expect(await claim(null)).toEqual(twoOfFree)
  expect(await claim(1)).toEqual([...twoOfFree, ['limited', true]])
})

test('what waits for a limit is pending, and not due in the metrics', async () => {
  const [free, limited] = [await fixture.addEndpoint('http://127.0.0.1:9/'), await fixture.addEndpoint('http://127.0.0.1:9/')]
  await fixture.setLimit(limited.id, 1)
  await fixture.emit()
  expect(await readBacklog(fixture.database)).toMatchObject({ pending: 2, due: 1 })
  await fixture.setLimit(free.id, 1)
  expect(await readBacklog(fixture.database)).toMatchObject({ pending: 2, due: 0, oldest_due_seconds: 0 })
})

test.each([LIMIT, null])('a claim (limit %j) that was planned while there were few endpoints reads no others', async (max_per_second) => {
  const { id } = await fixture.addEndpoint('http://127.0.0.1:9/', { events: ['submission.created'] })
  await fixture.setLimit(id, max_per_second)
  await fixture.addBacklog(id, 10)
  const slots = [{ ...slotsOf(id, 10), max_per_second }]
  const workerId = await newWorker()
  const [claim] = await sentBy(fixture.database, (tx) => claimDeliveries(tx, { workerId, slots }))
  const rows = await fixture.database.client.begin(async (tx) => {
    await tx.unsafe(`set local plan_cache_mode = force_generic_plan; prepare asked as ${claim?.text}`)
    const values = claim?.params.map((param) => `'${param}'`).join(', ')
    await tx.unsafe(`explain execute asked(${values})`)
    await tx.unsafe(ADD_LIMITED, [fixture.teamId, max_per_second])
    const lines = await tx.unsafe(`explain (analyze) execute asked(${values})`)
    await tx.unsafe('deallocate asked')
    return lines.flatMap((line) => [...String(line['QUERY PLAN']).matchAll(/actual .*rows=(\d+)/g)].map(([, count]) => Number(count)))
  })
  expect(Math.max(...rows)).toBe(10)
})

const ADD_LIMITED = `
  with endpoint as (
    insert into webhook_endpoints (team_id, url, events, secret, secret_hint, max_per_second)
    select $1, 'http://127.0.0.1:9/', '{submission.approved}', '', '', $2 from generate_series(1, 1000)
    returning team_id, id
  )
  insert into webhook_limits (team_id, endpoint_id) select team_id, id from endpoint`

const slotsOf = (endpoint_id: string, free: number): EndpointSlots => ({
  team_id: fixture.teamId,
  endpoint_id,
  free,
  max_per_second: LIMIT,
})
const newWorker = () => registerWorker(fixture.database, { jobPoolId: null })

async function claimUpTo(endpointId: string, free: number, workerId?: number) {
  return claimDeliveries(fixture.database, { workerId: workerId ?? (await newWorker()), slots: [slotsOf(endpointId, free)] })
}

const COUNT_CLAIMED = `
  select count(*)::int as count, extract(epoch from max(started_at) - min(started_at))::float8 as seconds,
         count(distinct worker_id)::int as workers
    from webhook_attempts
   where endpoint_id = $1`
