import { setTimeout as delay } from 'node:timers/promises'

/** Does something so often in a second, at an even pace, whatever becomes of it meanwhile. Resolves when all is done. */
export async function atPace(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  act: (number: number) => Promise<unknown>,
): Promise<void> {
  const startedMs = performance.now()
  const acts: Promise<unknown>[] = []
  for (let number = 0; number < perSecond * seconds; number += 1) {
    await delay(Math.max(0, startedMs + (number * 1000) / perSecond - performance.now()))
    acts.push(act(number))
  }
  await Promise.all(acts)
}
