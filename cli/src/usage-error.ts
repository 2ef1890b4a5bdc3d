/** The command line, or a setting that it reads, is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
