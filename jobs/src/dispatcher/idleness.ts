/** A worker that had nothing to do for this long asks to be notified of work. */
const QUIET_MS = 5_000
/** For so long it polls on all the same: a transaction that began before has seen nobody to notify. */
const OVERLAP_MS = 2_000

/** Tells when a worker is idle: then it polls seldom, and whoever commits work for it notifies it. */
export class Idleness {
  readonly #onBusy: () => void
  #workedAt = performance.now()
  /** Since when the others know that this worker wants to be notified; null while they do not. */
  #knownAt: number | null = null

  /** `onBusy` is called when there is work again: the others are to know. */
  constructor(onBusy: () => void) {
    this.#onBusy = onBusy
  }

  /** There is something to do, or may be. */
  noteWork(): void {
    this.#workedAt = performance.now()
    const isKnown = this.#knownAt !== null
    this.#knownAt = null
    if (isKnown) this.#onBusy()
  }

  /** A heartbeat has told the others whether this worker is quiet. */
  noteHeartbeat(wasQuiet: boolean): void {
    if (!wasQuiet || !this.isQuiet) this.#knownAt = null
    else this.#knownAt ??= performance.now()
  }

  /** Nothing was to do lately: the next heartbeat tells the others. */
  get isQuiet(): boolean {
    return performance.now() - this.#workedAt >= QUIET_MS
  }

  /** Polls may pause. */
  get isIdle(): boolean {
    return this.#knownAt !== null && performance.now() - this.#knownAt >= OVERLAP_MS
  }
}
