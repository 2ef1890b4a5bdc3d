import { ApiError } from '@earshot/contracts'
import type { FastifyRequest } from 'fastify'

/** Which site sent a request, according to the browser (Fetch Metadata, else the Origin header). */
export interface Provenance {
  /** Sent by one of our own pages. A change with a session's cookie requires it. */
  isOwnPage: boolean
  /** Sent by a page of another site. Neither is true for a typed address and for programs that are no browsers. */
  isForeignPage: boolean
}

/**
 * A page is our own under whatever name its reader opened it: the service listens on 127.0.0.1 too when its base URL says
 * localhost. The browser alone compares the page's origin with that of the request, in `Sec-Fetch-Site`, which no script can
 * set. It sends that to trustworthy addresses only (Fetch Metadata §2: https, and loopback names), so elsewhere we compare.
 *
 * That the request's own host is enough rests on cookies: they are host-only, so a page of another host has none of ours to
 * send, even when its name was made to resolve to this service (DNS rebinding). Without one it can do what any program on its
 * reader's machine can. A cookie ignores the port, so the comparison does not. A program that forges `Host` or `Origin` had to
 * have the cookie or the token first, and then needs no page. A page cannot send `X-Forwarded-Host` with cookies: that takes a
 * preflight, which never allows credentials (see http/cors.ts), and Fastify reads it from trusted proxies alone. The origin
 * `null` is that of no host, so never our own.
 */
export function provenanceOf(request: Pick<FastifyRequest, 'headers' | 'host' | 'protocol'>, ownOrigin: string): Provenance {
  const { 'sec-fetch-site': site, origin } = request.headers
  if (site !== undefined) return { isOwnPage: site === 'same-origin', isForeignPage: site !== 'same-origin' && site !== 'none' }
  const isOwnPage = origin === ownOrigin || origin === `${request.protocol}://${request.host}`
  return { isOwnPage, isForeignPage: origin !== undefined && !isOwnPage }
}

/** Refuses requests from other sites, which must not begin or end a session. Throws `csrf_failed`. */
export function refuseForeignPage({ isForeignPage }: Provenance): void {
  if (isForeignPage) throw new ApiError('csrf_failed')
}
