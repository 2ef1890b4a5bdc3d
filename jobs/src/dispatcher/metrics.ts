import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export interface DispatcherMetrics {
  /** By outcome: `success`, `retry`, `final`; or `handed_back`, when nothing was sent. */
  attempts: Counter<'outcome'>
  attemptSeconds: Histogram
  /** From the instant at which a delivery was due to its claim: how far the worker is behind. */
  waitSeconds: Histogram
  /** Deliveries that have ended, by state: `succeeded` or `failed`. */
  finished: Counter<'state'>
  inFlight: Gauge
  /** Results that came too late, and touched nothing. */
  staleResults: Counter
  /** Deliveries that died with their sender and were given back. */
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
      help: 'From the request to the end of the answer.',
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30],
      registers,
    }),
    waitSeconds: new Histogram({
      name: 'earshot_webhook_wait_seconds',
      help: 'From the instant at which a delivery was due to its claim by a worker.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300],
      registers,
    }),
    finished: new Counter({
      name: 'earshot_webhook_deliveries_finished_total',
      help: 'Deliveries that have ended, by state.',
      labelNames: ['state'],
      registers,
    }),
    inFlight: new Gauge({ name: 'earshot_webhook_deliveries_in_flight', help: 'Deliveries that this worker has claimed.', registers }),
    staleResults: new Counter({ name: 'earshot_webhook_stale_results_total', help: 'Results that came after the lease.', registers }),
    interrupted: new Counter({
      name: 'earshot_webhook_interrupted_total',
      help: 'Deliveries taken back from a sender that died.',
      registers,
    }),
    numberedEvents: new Counter({ name: 'earshot_events_numbered_total', help: 'Events given their place in the feed.', registers }),
  }
}
