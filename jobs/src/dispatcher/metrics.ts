import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export interface DispatcherMetrics {
  /** By outcome: `success`, `retry`, `final`, or `handed_back` when nothing was sent. */
  attempts: Counter<'outcome'>
  attemptSeconds: Histogram
  /** The time from due to claimed: how far the worker is behind. Without deliveries to endpoints with a limit. */
  waitSeconds: Histogram
  /** Finished deliveries by state: `succeeded` or `failed`. */
  finished: Counter<'state'>
  inFlight: Gauge
  /** Results that were too late and changed nothing. */
  staleResults: Counter
  /** Deliveries that were handed back because their worker died. */
  interrupted: Counter
  numberedEvents: Counter
}

export function createDispatcherMetrics(registry: Registry): DispatcherMetrics {
  const registers = [registry]
  return {
    attempts: new Counter({
      name: 'earshot_webhook_attempts_total',
      help: 'Attempts to deliver a webhook, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'earshot_webhook_attempt_seconds',
      help: 'Time from the start of a request to the end of its response.',
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30],
      registers,
    }),
    waitSeconds: new Histogram({
      name: 'earshot_webhook_wait_seconds',
      help: 'Time from when a delivery was due until a worker claimed it, unless its endpoint has a limit.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300],
      registers,
    }),
    finished: new Counter({
      name: 'earshot_webhook_deliveries_finished_total',
      help: 'Finished deliveries, by state.',
      labelNames: ['state'],
      registers,
    }),
    inFlight: new Gauge({
      name: 'earshot_webhook_deliveries_in_flight',
      help: 'Deliveries that this worker has claimed and not finished.',
      registers,
    }),
    staleResults: new Counter({
      name: 'earshot_webhook_stale_results_total',
      help: 'Results that arrived after their lease had ended.',
      registers,
    }),
    interrupted: new Counter({
      name: 'earshot_webhook_interrupted_total',
      help: 'Deliveries taken over from a worker that died.',
      registers,
    }),
    numberedEvents: new Counter({
      name: 'earshot_events_numbered_total',
      help: 'Events that were numbered for the change feed.',
      registers,
    }),
  }
}
