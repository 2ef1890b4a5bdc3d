import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'

const FORWARDING_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

/** Whether the request says that a proxy passed it on. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return FORWARDING_HEADERS.some((name) => headers[name] !== undefined)
}

/** Without EARSHOT_TRUST_PROXY all callers behind a proxy share its address, and its limits: the log says so once. */
export function registerForwardingWarning(app: FastifyInstance): void {
  let isTold = false
  app.addHook('onRequest', async (request) => {
    if (isTold || !isForwarded(request.headers)) return
    isTold = true
    request.log.warn('A request came through a proxy, but EARSHOT_TRUST_PROXY is not set: all of its callers count as one address.')
  })
}
