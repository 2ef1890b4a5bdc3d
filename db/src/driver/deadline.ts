/** Beyond the time in which PostgreSQL itself cancels a statement: longer lasts only what it never got, or never answers. */
const GRACE_MS = 500

export interface Wait {
  /** Throws once the wait is over. To be called before a statement is sent: nobody would hear of its result any more. */
  requireTime: () => void
  /** Throws once the wait is over. To be called at each further step of the work: it gets the whole time anew. */
  renew: () => void
  /** Names what is called when the wait is over. */
  onSilence: (listener: () => void) => void
}

/** Bounds a wait for the database. */
export type Patience = <Result>(work: (wait: Wait) => PromiseLike<Result>) => Promise<Result>

/** The database did not answer: it hangs, or the network to it, or all connections wait for it. */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError'
}

/** Without a statement timeout whoever asks waits for as long as it takes. */
export function createPatience(statementTimeoutMs: number | undefined): Patience {
  if (statementTimeoutMs === undefined) return async (work) => work({ requireTime() {}, renew() {}, onSilence() {} })
  return async (work) => {
    const { promise: silence, reject } = Promise.withResolvers<never>()
    let isOver = false
    let tellOver = () => {}
    const requireTime = () => {
      if (isOver) throw new NoAnswerError('The database did not answer an earlier statement in time')
    }
    const timer = setTimeout(() => {
      isOver = true
      tellOver()
      reject(new NoAnswerError('The database did not answer in time'))
    }, statementTimeoutMs + GRACE_MS)
    const renew = () => {
      requireTime()
      timer.refresh()
    }
    const onSilence = (listener: () => void) => {
      tellOver = listener
    }
    try {
      return await Promise.race([work({ requireTime, renew, onSilence }), silence])
    } finally {
      clearTimeout(timer)
    }
  }
}
