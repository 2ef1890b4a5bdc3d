import type { FastifyInstance } from 'fastify'

const SWEEP_MS = 50

/**
 * Makes `app.close()` wait for requests in flight, up to the deadline, and close idle connections. Node itself would wait
 * for idle connections, and for a body that never ends.
 */
export function registerDrain(app: FastifyInstance, { timeoutMs }: { timeoutMs: number }): void {
  let sweep: NodeJS.Timeout | undefined
  let deadline: NodeJS.Timeout | undefined
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (sweep) reply.header('connection', 'close')
    done()
  })
  app.addHook('preClose', async () => {
    sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
    deadline = setTimeout(() => app.server.closeAllConnections(), timeoutMs)
  })
  app.addHook('onClose', async () => {
    clearInterval(sweep)
    clearTimeout(deadline)
  })
}
