import { createHistogram } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { Gauge, type Registry } from 'prom-client'

/** What a block may be longer than it is measured. */
const RESOLUTION_MS = 40
const PERCENTILES = [50, 99, 100]

/**
 * Registers how long the event loop was blocked since the last scrape: what every request of this process waited besides its own
 * work. It is measured from the first scrape on: its timer wakes an idle process more often than all else.
 */
export function registerLoopDelay(app: FastifyInstance, metrics: Registry): void {
  // The time between ticks of the timer, its interval included. `monitorEventLoopDelay` of Node loses the tick after a reset.
  const ticks = createHistogram()
  let timer: NodeJS.Timeout | undefined
  app.addHook('onClose', async () => clearInterval(timer))
  new Gauge({
    name: 'earshot_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape, by quantile; 1 is the longest.',
    labelNames: ['quantile'],
    registers: [metrics],
    collect() {
      timer ??= setInterval(() => ticks.recordDelta(), RESOLUTION_MS).unref()
      ticks.recordDelta()
      for (const percentile of PERCENTILES) {
        const ms = ticks.count === 0 ? 0 : ticks.percentile(percentile) / 1e6 - RESOLUTION_MS
        this.set({ quantile: percentile / 100 }, Math.max(0, ms) / 1000)
      }
      ticks.reset()
      // The next tick counts from now.
      ticks.recordDelta()
    },
  })
}
