import { EarshotConnectionError } from './errors.ts'

/** The service sends something at least every 15 seconds, so after three missed times the connection is dead. */
const SILENCE_MS = 45_000

/** Aborts when the caller does, and when expected bytes do not arrive in time. */
export function startWatchdog(signal: AbortSignal | undefined) {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  const expectWithin = (ms: number, failure: () => Error) => {
    clearTimeout(timer)
    timer = setTimeout(() => controller.abort(failure()), ms)
  }
  return {
    signal: controller.signal,
    expectWithin,
    pause: () => clearTimeout(timer),
    expectBytes: () => expectWithin(SILENCE_MS, () => new EarshotConnectionError(`The stream was silent for ${SILENCE_MS / 1000} s.`)),
    stop: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      // A consumer that stops iterating leaves no connection open.
      controller.abort()
    },
  }
}
