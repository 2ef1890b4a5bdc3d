import { ApiError } from '@earshot/contracts'

/** Throws `validation_error` for an excerpt that the author did not write, word for word. */
export function requireVerbatim(excerpt: string | null | undefined, body: string): void {
  if (!excerpt || body.includes(excerpt)) return
  throw new ApiError('validation_error', {
    errors: [{ field: 'excerpt', code: 'not_verbatim', detail: 'must be a verbatim part of the body' }],
  })
}
