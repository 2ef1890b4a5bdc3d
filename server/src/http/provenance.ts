import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '@earshot/contracts'

/** Who sent a request, as far as a browser says it (Fetch Metadata; the Origin header where a browser has no metadata). */
export interface Provenance {
  /** One of our own pages: what a session's cookie needs to change anything. */
  isOwnPage: boolean
  /** A page of somebody else. Neither of both: a person who typed an address, or a program that is no browser. */
  isForeignPage: boolean
}

export function provenanceOf(headers: IncomingHttpHeaders, ownOrigin: string): Provenance {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return { isOwnPage: site === 'same-origin', isForeignPage: site !== 'same-origin' && site !== 'none' }
  const { origin } = headers
  return { isOwnPage: origin === ownOrigin, isForeignPage: origin !== undefined && origin !== ownOrigin }
}

/** What begins or ends a session must not be done by another's page. Throws `csrf_failed`. */
export function refuseForeignPage({ isForeignPage }: Provenance): void {
  if (isForeignPage) throw new ApiError('csrf_failed')
}
