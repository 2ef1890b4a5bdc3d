/** There is no credential, or it no longer works. */
export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError'
}
