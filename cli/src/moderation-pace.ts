import { isPassing, waitMsAfter } from './passing.ts'

/** How long after a failure it is tried again, unless the service asks for more. */
export const RETRY_MS = 2_000

interface PaceOptions {
  /** What failed, as a person reads it. */
  failure: string
  tell: (message: string) => void
  /** Aborts when failures mean nothing any more. */
  signal: AbortSignal
}

/** Does a piece of work again and again: once at a time, and after a failure that passes only a little later. */
export class Pace {
  private readonly options: PaceOptions
  private running: Promise<void> | null = null
  private isFailing = false
  private nextTryMs = 0

  constructor(options: PaceOptions) {
    this.options = options
  }

  /** Works, unless it is too early, or waits for the work that is being done. Work returns whether it asked the service. Throws a failure that does not pass. */
  run(work: () => Promise<boolean>): Promise<void> {
    this.running ??= this.attempt(work).finally(() => {
      this.running = null
    })
    return this.running
  }

  private async attempt(work: () => Promise<boolean>): Promise<void> {
    const { failure, tell, signal } = this.options
    if (performance.now() < this.nextTryMs) return
    try {
      const hasAsked = await work()
      if (!hasAsked) return
      if (this.isFailing) tell('The service is back.')
      this.isFailing = false
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error)) throw error
      this.nextTryMs = performance.now() + waitMsAfter(error, RETRY_MS)
      this.isFailing = true
      tell(`${failure}: ${error.message} Trying again.`)
    }
  }
}
