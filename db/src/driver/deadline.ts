/** Beyond the statement timeout, after which PostgreSQL cancels the statement by itself. */
const GRACE_MS = 500

export interface Deadline {
  /** Throws once the deadline has passed. Call it before sending a statement: its result would be lost. */
  require: () => void
  /** Throws once the deadline has passed, and otherwise moves it: each step of the work gets the full time. */
  renew: () => void
  /** Sets the listener that is called when the deadline passes. */
  onPassed: (listener: () => void) => void
}

/** Runs work that may wait for the database, up to a deadline. Throws `DeadlineError` when it passes. */
export type WithDeadline = <Result>(work: (deadline: Deadline) => PromiseLike<Result>) => Promise<Result>

/** The database did not reply in time: it hangs, the network does, or all connections are busy. */
export class DeadlineError extends Error {
  override name = 'DeadlineError'
}

/** Without a statement timeout there is no deadline. */
export function createWithDeadline(statementTimeoutMs: number | undefined): WithDeadline {
  if (statementTimeoutMs === undefined) return async (work) => work({ require() {}, renew() {}, onPassed() {} })
  return async (work) => {
    const { promise: passed, reject } = Promise.withResolvers<never>()
    let isPassed = false
    let notify = () => {}
    const timer = setTimeout(() => {
      isPassed = true
      notify()
      reject(new DeadlineError('The database did not reply in time'))
    }, statementTimeoutMs + GRACE_MS)
    const require = () => {
      if (isPassed) throw new DeadlineError('The database did not reply to an earlier statement in time')
    }
    const renew = () => {
      require()
      timer.refresh()
    }
    const onPassed = (listener: () => void) => {
      notify = listener
    }
    try {
      return await Promise.race([work({ require, renew, onPassed }), passed])
    } finally {
      clearTimeout(timer)
    }
  }
}
