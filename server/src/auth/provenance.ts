import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '@earshot/contracts'

/** Which site sent a request, according to the browser (Fetch Metadata, else the Origin header). */
export interface Provenance {
  /** Sent by one of our own pages. A change with a session's cookie requires it. */
  isOwnPage: boolean
  /** Sent by a page of another site. Neither is true for a typed address and for programs that are no browsers. */
  isForeignPage: boolean
}

export function provenanceOf(headers: IncomingHttpHeaders, ownOrigin: string): Provenance {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return { isOwnPage: site === 'same-origin', isForeignPage: site !== 'same-origin' && site !== 'none' }
  const { origin } = headers
  return { isOwnPage: origin === ownOrigin, isForeignPage: origin !== undefined && origin !== ownOrigin }
}

/** Refuses requests from other sites, which must not begin or end a session. Throws `csrf_failed`. */
export function refuseForeignPage({ isForeignPage }: Provenance): void {
  if (isForeignPage) throw new ApiError('csrf_failed')
}
