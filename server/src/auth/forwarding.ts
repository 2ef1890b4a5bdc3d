import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'

const FORWARDING_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

/** Whether the headers say that a proxy forwarded the request. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return FORWARDING_HEADERS.some((name) => headers[name] !== undefined)
}

/** Warns once when a proxy forwards requests without EARSHOT_TRUST_PROXY: its clients then share one address and its limits. */
export function registerForwardingWarning(app: FastifyInstance): void {
  let hasWarned = false
  app.addHook('onRequest', (request, _reply, done) => {
    if (!hasWarned && isForwarded(request.headers)) {
      hasWarned = true
      request.log.warn('A proxy forwarded a request, but EARSHOT_TRUST_PROXY is not set: all clients of the proxy count as one address.')
    }
    done()
  })
}
