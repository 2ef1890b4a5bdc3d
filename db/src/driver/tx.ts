/** Where a statement runs: the pool, or one transaction. */
export interface Tx {
  /** Runs one prepared statement; rows come with the columns' own names. Failures are ApiErrors where the table of errors has one. */
  run<Row>(text: string, params: readonly unknown[]): Promise<Row[]>
  /** Runs work that may be undone alone when it throws. On the pool it simply runs. */
  attempt<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
}
