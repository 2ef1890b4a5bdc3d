import { latencyBucketOf } from './latency-buckets.ts'

/** Numbers of attempts: `retried` are among the failed ones, which the four after it add up to. */
export interface AttemptFigures {
  succeeded: number
  retried: number
  bad_responses: number
  timeouts: number
  connection_errors: number
  interrupted: number
  /** How many of those with a duration are in each bucket. */
  latency_counts: number[]
}

/** The outcomes, by their place in a code. A failed attempt that another one follows has the outcome and `RETRIED`. */
export const OUTCOMES = ['succeeded', 'bad_responses', 'timeouts', 'connection_errors', 'interrupted'] as const
export const RETRIED = 8
/** A code is an outcome times this, and the bucket of the duration. */
export const BUCKETS = 256
/** Instead of a bucket, for an attempt without a duration. */
export const NO_BUCKET = BUCKETS - 1

/** The codes of attempts that a worker left behind, whose duration nobody knows. */
export const LOST = OUTCOMES.indexOf('interrupted') * BUCKETS + NO_BUCKET
export const LOST_AND_RETRIED = LOST + RETRIED * BUCKETS

interface EndedAttempt {
  succeeded: boolean
  error_code: string | null
  delay_ms: number | null
  duration_ms: number
}

/** Returns what an attempt adds to the figures of its endpoint, as one number. */
export function attemptCodeOf({ succeeded, error_code, delay_ms, duration_ms }: EndedAttempt): number {
  const outcome = succeeded ? 'succeeded' : causeOf(error_code)
  return (OUTCOMES.indexOf(outcome) + (delay_ms === null ? 0 : RETRIED)) * BUCKETS + latencyBucketOf(duration_ms)
}

/** Returns the figures of attempts. */
export function figuresOfCodes(codes: readonly number[]): AttemptFigures {
  const figures = noAttempts()
  const { latency_counts } = figures
  for (const code of codes) {
    const [outcome, bucket] = [Math.floor(code / BUCKETS), code % BUCKETS]
    const name = OUTCOMES[outcome % RETRIED]
    if (name) figures[name] += 1
    if (outcome >= RETRIED) figures.retried += 1
    if (bucket !== NO_BUCKET) latency_counts[bucket] = (latency_counts[bucket] ?? 0) + 1
  }
  return { ...figures, latency_counts: Array.from(latency_counts, (count) => count ?? 0) }
}

/** Returns the figures of no attempts, to add others to. */
export function noAttempts(): AttemptFigures {
  return { succeeded: 0, retried: 0, bad_responses: 0, timeouts: 0, connection_errors: 0, interrupted: 0, latency_counts: [] }
}

/** Adds figures to others. */
export function addAttempts(figures: AttemptFigures, added: AttemptFigures): void {
  figures.succeeded += added.succeeded
  figures.retried += added.retried
  figures.bad_responses += added.bad_responses
  figures.timeouts += added.timeouts
  figures.connection_errors += added.connection_errors
  figures.interrupted += added.interrupted
  for (const [bucket, count] of added.latency_counts.entries()) {
    figures.latency_counts[bucket] = (figures.latency_counts[bucket] ?? 0) + count
  }
}

/** An attempt without an error code had a response; a redirect is one too. */
function causeOf(errorCode: string | null): Exclude<(typeof OUTCOMES)[number], 'succeeded'> {
  if (errorCode === null || errorCode === 'redirect') return 'bad_responses'
  if (errorCode === 'connect_timeout' || errorCode === 'read_timeout') return 'timeouts'
  return errorCode === 'interrupted' ? 'interrupted' : 'connection_errors'
}
