import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '@earshot/contracts'
import type { Database } from '@earshot/db'
import { readPartitionDaysAhead } from '@earshot/db/maintenance'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import { isForwarded } from '../auth/forwarding.ts'

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

export interface ProbeOptions {
  database: Database
  metrics: Registry
  metricsToken: string | null
  /** Names of dependencies that are not ready, besides the database. */
  notReady: () => Promise<string[]>
}

/** Registers /healthz (the process runs), /readyz (its dependencies are ready) and /metrics (for this machine, or with the token). */
export function registerProbes(app: FastifyInstance, { database, metrics, metricsToken, notReady }: ProbeOptions): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    const ahead = await readPartitionDaysAhead(database)
    const missing = await notReady()
    if (missing.length > 0)
      throw new ApiError('dependency_unavailable', { detail: `Not ready: ${missing.join(', ')}.`, retryAfterSeconds: 1 })
    return { status: 'ready', partition_days_ahead: Math.min(...ahead.map(({ days }) => days)) }
  })
  app.get('/metrics', async (request, reply) => {
    requireMetricsAccess(request, metricsToken)
    return reply.type(metrics.contentType).send(await metrics.metrics())
  })
}

function requireMetricsAccess({ headers, socket }: FastifyRequest, metricsToken: string | null): void {
  if (LOOPBACK.has(socket.remoteAddress ?? '') && !isForwarded(headers)) return
  const given = Buffer.from(headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${metricsToken ?? ''}`)
  if (metricsToken === null || given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new ApiError('not_authenticated')
}
