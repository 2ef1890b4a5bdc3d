import { vi } from 'vitest'

/** What a test counts within one window of the clock must begin so early in it that `neededMs` are left. */
export async function earlyInWindow(windowMs: number, neededMs: number): Promise<void> {
  await vi.waitUntil(() => Date.now() % windowMs < windowMs - neededMs, { timeout: neededMs + 5_000, interval: 100 })
}
