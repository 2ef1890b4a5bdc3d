import { z } from 'zod'
import { grouped, sizes } from '../limits.ts'
import { Id, timestamp } from './primitives.ts'

const count = (description: string, example: number) => z.int().meta({ description, example })
const latency = (description: string, example: number) => z.int().nullable().meta({ description, example })

const figures = {
  attempts: count('Attempts that have ended.', 120),
  succeeded: count('Attempts with a 2xx response.', 116),
  failed: count('Attempts with any other response, or with an error.', 4),
  retried: count('Failed attempts that another attempt follows.', 3),
  final: count('Failed attempts that no other attempt follows: the delivery failed.', 1),
  causes: z
    .object({
      response: count('The receiver responded, but not with 2xx. Redirects are among them.', 1),
      timeout: count('The connection or the response took too long: `connect_timeout`, `read_timeout`.', 2),
      connection: count('There was no valid response: all other error codes.', 1),
      interrupted: count('The worker stopped during the attempt: `interrupted`.', 0),
    })
    .meta({ id: 'FailedAttemptsByCause', description: 'The failed attempts by cause.' }),
  success_share: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: 'succeeded / attempts, rounded down to four decimals; null without attempts.', example: 0.9666 }),
  p50_ms: latency('Half of the attempts took at most this long, in milliseconds; null without attempts.', 84),
  p95_ms: latency('95 % of the attempts took at most this long.', 412),
  p99_ms: latency('99 % of the attempts took at most this long.', 30_000),
}

const AttemptFigures = z
  .object(figures)
  .meta({ id: 'AttemptFigures', description: 'The attempts of a range of time, with their `duration_ms`.' })

const HourOfAttempts = z
  .object({ start: timestamp('Start of the hour.'), ...figures })
  .meta({ id: 'HourOfAttempts', description: 'The attempts that started in an hour.' })

const EndpointBacklog = z
  .object({
    pending: count(
      `Deliveries that wait for an attempt, due or not. Counted up to ${grouped(sizes.countedDeliveries)}, which stands for as many or more.`,
      3,
    ),
    oldest_due_at: timestamp(
      'Time since when the first due delivery has waited; null if none is due, and while the endpoint is paused or disabled.',
    ).nullable(),
  })
  .meta({ id: 'EndpointBacklog', description: 'What waits for the endpoint now, whatever the range.' })

export const EndpointStats = z
  .object({
    endpoint_id: Id.meta({ description: 'The endpoint.' }),
    from: timestamp('Start of the first hour.'),
    to: timestamp('End of the last hour, exclusive.'),
    totals: AttemptFigures.meta({ description: 'The attempts of all hours.' }),
    series: z.array(HourOfAttempts).meta({ description: 'Every hour of the range, oldest first.' }),
    backlog: EndpointBacklog,
  })
  .meta({ id: 'EndpointStats', description: 'How deliveries to an endpoint go, by hour.' })
export type EndpointStats = z.infer<typeof EndpointStats>

export const EndpointSummary = z
  .object({
    endpoint_id: Id.meta({ description: 'The endpoint.' }),
    from: timestamp('Start of the first hour.'),
    to: timestamp('End of the last hour, exclusive.'),
    totals: AttemptFigures.meta({ description: 'The attempts of all hours.' }),
    latest: HourOfAttempts.nullable().meta({ description: 'The last hour with attempts; null if there were none.' }),
    backlog: EndpointBacklog,
  })
  .meta({ id: 'EndpointSummary', description: 'How deliveries to an endpoint went in the last hours.' })
