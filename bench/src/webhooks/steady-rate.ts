import { setTimeout as delay } from 'node:timers/promises'

/** Starts an action at a steady rate, however long each takes, until the time is over or the signal aborts. Resolves when all have ended. */
export async function atRate(
  { perSecond, seconds = Number.POSITIVE_INFINITY, signal }: { perSecond: number; seconds?: number; signal?: AbortSignal },
  act: (number: number) => Promise<unknown>,
): Promise<void> {
  const startedMs = performance.now()
  const acts: Promise<unknown>[] = []
  for (let number = 0; number < perSecond * seconds && !signal?.aborted; number += 1) {
    await delay(Math.max(0, startedMs + (number * 1000) / perSecond - performance.now()))
    acts.push(act(number))
  }
  await Promise.all(acts)
}
