/** What the operations with server-sent events have in common. */
export const STREAMING =
  'The first message, `ready`, contains the cursor at which the stream starts. Every 15 seconds the service sends a comment and checks your access again. If access ends or an error occurs, the last message is `error` with the error body. A stream counts as one request, however long it stays open. You can have at most 20 open streams per process of the service; one more returns 429.'

/** Describes how cursors of a feed expire. */
export function expiryOf(things: 'events' | 'changes'): string {
  return `Returns 409 \`cursor_expired\` if ${things} after your cursor are no longer kept, or if the cursor is from before the database was restored from a backup. Continue at \`oldest_cursor\` to read all that is kept, or at \`newest_cursor\` to skip it.`
}
