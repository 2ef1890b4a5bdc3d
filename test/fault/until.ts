import { setTimeout as delay } from 'node:timers/promises'

/** Asks again until the answer is true. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 15_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain until ${what}`)
    await delay(20)
  }
}
