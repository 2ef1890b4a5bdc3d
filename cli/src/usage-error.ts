/** A wrong command line, or a wrong setting that it reads. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
