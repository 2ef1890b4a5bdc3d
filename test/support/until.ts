import { setTimeout as delay } from 'node:timers/promises'

/** Polls a condition until it is true. Throws with the description after the timeout, which no busy machine reaches unless it is given. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 45_000, intervalMs = 10): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain until ${what}`)
    await delay(intervalMs)
  }
}
