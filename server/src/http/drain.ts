import type { FastifyInstance } from 'fastify'

const SWEEP_MS = 50

/**
 * What `app.close()` waits for: every request that has begun gets its answer, within the time, and no connection stays
 * open for a next one. Node by itself would wait for those that rest, and for a body that never ends.
 */
export function registerDrain(app: FastifyInstance, { timeoutMs }: { timeoutMs: number }): void {
  let sweep: NodeJS.Timeout | undefined
  let deadline: NodeJS.Timeout | undefined
  app.addHook('onSend', async (_request, reply) => {
    if (sweep) reply.header('connection', 'close')
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
