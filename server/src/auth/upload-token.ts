import type { IncomingHttpHeaders } from 'node:http'
import { ApiError, UPLOAD_TOKEN_HEADER } from '@earshot/contracts'

const NAME = UPLOAD_TOKEN_HEADER.toLowerCase()

/** Returns the token of an upload, not yet validated; null without one. */
export function uploadTokenOf(headers: IncomingHttpHeaders): string | null {
  const token = headers[NAME]
  return typeof token === 'string' && token !== '' ? token : null
}

/** The error of a request that lacks the token. */
export function uploadTokenMissing(): ApiError {
  return new ApiError('not_authenticated', { detail: `Send the token of the upload as ${UPLOAD_TOKEN_HEADER}.` })
}
