import { vi } from 'vitest'

/** Stops `Date` in the middle of a window of the clock until it is disposed of, so that no window ends in the middle of a test. */
export function stopClockWithin(windowMs: number): Disposable & { pass: (ms: number) => void } {
  const startOfWindow = Date.now() - (Date.now() % windowMs)
  vi.useFakeTimers({ toFake: ['Date'], now: startOfWindow + windowMs / 2 })
  return { pass: (ms) => void vi.setSystemTime(Date.now() + ms), [Symbol.dispose]: () => void vi.useRealTimers() }
}

/** Lets `performance.now()` run ahead. It never goes back, like the real one. */
export function hurryClock(): Disposable & { pass: (ms: number) => void } {
  const now = performance.now.bind(performance)
  let passedMs = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs)
  return {
    pass: (ms) => {
      passedMs += ms
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  }
}
