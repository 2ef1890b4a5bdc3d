import type { FastifyInstance } from 'fastify'

export const EXPOSED = [
  'ETag',
  'Idempotency-Replayed',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ')
const PREFLIGHT_SECONDS = 600
/** Pages for people, which must not be readable for other sites (RFC 9700 §2.6). */
const PAGES = /^\/(accounts|app|o\/(authorize|device))(\/|$)/

/**
 * Cross-origin rules (Fetch standard, CORS protocol): every origin may send requests, without cookies. Whether the team
 * allows the origin is checked when the request is authorized, so the headers are the same for all.
 */
export function registerCors(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.origin === undefined && request.method !== 'OPTIONS') return done()
    if (PAGES.test(request.routeOptions.url ?? request.url.split('?', 1)[0] ?? '')) return done()
    if (request.headers.origin !== undefined) {
      reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', EXPOSED)
    }
    const wantedMethod = request.headers['access-control-request-method']
    if (request.method !== 'OPTIONS' || wantedMethod === undefined) return done()
    reply
      .code(204)
      .header('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE')
      .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? 'authorization, content-type')
      .header('access-control-max-age', String(PREFLIGHT_SECONDS))
      .send()
  })
}
