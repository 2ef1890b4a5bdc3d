import type { DeliveryClaims } from './claims.ts'

/** How long a request waits for its turn. */
export interface Patience {
  /** On the clock of `performance.now()`. */
  untilMs: number
  /** Whether its client has disconnected: nothing more is to be done for it. */
  isGone: () => boolean
}

/** Where statements run: the pool, or one transaction. */
export interface Tx {
  /** Set where statements run on the pool for one request. */
  readonly request?: {
    patience: Patience
    /** Where statements of all requests run. */
    shared: Tx
    /** Returns where statements of several requests run. */
    patiently: (patience: Patience) => Tx
    /** Throws for a row that the request must not see. A batch calls it, whose statement is not the request's own. */
    check?: (row: unknown) => void
  }
  /** Set on the pool of a process with a worker: what a statement that commits by itself may claim. */
  readonly claims?: DeliveryClaims
  /** Runs one prepared statement; rows come with the columns' own names. Failures are ApiErrors where the table of errors has one. */
  run<Row>(text: string, params: readonly unknown[]): Promise<Row[]>
  /** Runs work that may be undone alone when it throws. On the pool it simply runs. */
  attempt<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** Runs work in one transaction; see `transaction`. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
}

/**
 * Runs work in one transaction: committed when it resolves, rolled back when it throws. Joins the transaction under way,
 * such as that of an idempotency key, which then commits or rolls back as a whole.
 */
export function transaction<Result>(tx: Tx, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return tx.transaction(work)
}
