/** The database cannot be prepared for this version; the message is one line for the operator. */
export class DatabaseSetupError extends Error {
  override name = 'DatabaseSetupError'
}
