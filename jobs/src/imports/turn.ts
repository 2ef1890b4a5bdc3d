/** When a worker has to leave an import. */
export interface Turn {
  /** Aborts when the worker stops. */
  signal: AbortSignal
  /** On the clock of `performance.now()`. */
  endMs: number
}

/** `paused`: the turn is over. `overtaken`: another worker has read on. `ended`: there is nothing more to do. */
export type Outcome = 'paused' | 'overtaken' | 'ended'
