import { setTimeout as delay } from 'node:timers/promises'
import type { Receipts } from '../receiver.ts'
import type { Figure } from './figure.ts'
import type { Site } from './site.ts'
import type { WriteLoad } from './write-load.ts'

const POLL_MS = 20
/** So many writes in a row succeed again. */
const STEADY_WRITES = 150
const LONGEST_MS = 300_000

/** Kills something under load and measures when it works again. `kill` may start it again too. */
export async function measureRestart(
  what: string,
  { receiver }: Site,
  { load, kill }: { load: WriteLoad; kill: () => Promise<unknown> },
): Promise<Figure[]> {
  const killedMs = performance.now()
  const killedAtMs = Date.now()
  const killing = kill()
  const delivered = async () => (await receiver.call<Receipts>('read')).newestEventMs > killedAtMs
  const deliveredAfterMs = await timeUntil(killedMs, delivered)
  const isSteady = async () => {
    const last = load.writes.slice(-STEADY_WRITES)
    return last.length === STEADY_WRITES && last.every(({ refusal, startedMs }) => refusal === null && startedMs > killedMs)
  }
  await timeUntil(killedMs, isSteady)
  await killing
  const since = load.writes.filter(({ endedMs }) => endedMs >= killedMs)
  const failed = since.filter(({ refusal }) => refusal !== null)
  const lastFailedMs = Math.max(killedMs, ...failed.map(({ startedMs }) => startedMs))
  const first = since.filter(({ refusal, startedMs }) => refusal === null && startedMs >= lastFailedMs).map(({ endedMs }) => endedMs)
  return [
    { what: `kill -9 of ${what}: until writes are accepted again`, value: (Math.min(...first) - killedMs) / 1000, unit: 's' },
    { what: `kill -9 of ${what}: until new events are delivered`, value: deliveredAfterMs / 1000, unit: 's' },
    { what: `kill -9 of ${what}: refused writes, at 50/s`, value: failed.length, unit: 'requests' },
  ]
}

async function timeUntil(startedMs: number, check: () => Promise<boolean>): Promise<number> {
  while (!(await check())) {
    if (performance.now() - startedMs > LONGEST_MS) throw new Error('The service did not come back.')
    await delay(POLL_MS)
  }
  return performance.now() - startedMs
}
