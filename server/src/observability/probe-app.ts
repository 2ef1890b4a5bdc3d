import { type FastifyInstance, fastify, LogController } from 'fastify'
import type { Registry } from 'prom-client'
import { registerDrain } from '../http/drain.ts'
import { sendFailure } from '../http/failure.ts'
import { NO_SCHEMAS } from '../http/no-schemas.ts'
import { registerUnknownRoute } from '../http/unknown-route.ts'
import { registerBacklogMetrics } from './backlog-metrics.ts'
import type { Log } from './log.ts'
import { registerLoopDelay } from './loop-delay.ts'
import { type ProbeOptions, registerProbes } from './probes.ts'

/** The HTTP side of a worker: health and metrics, without the API. */
export function buildProbeApp(options: ProbeOptions & { log: Log; metrics: Registry; drainMs: number }): FastifyInstance {
  const app = fastify({
    schemaController: NO_SCHEMAS,
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
  }) as unknown as FastifyInstance
  registerDrain(app, { timeoutMs: options.drainMs })
  registerUnknownRoute(app)
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply))
  registerBacklogMetrics(options.metrics, options)
  registerLoopDelay(app, options.metrics)
  registerProbes(app, options)
  return app
}
