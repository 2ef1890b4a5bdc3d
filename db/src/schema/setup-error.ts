/** The database cannot be brought to what this version needs; the message is one line for the operator. */
export class DatabaseSetupError extends Error {
  override name = 'DatabaseSetupError'
}
