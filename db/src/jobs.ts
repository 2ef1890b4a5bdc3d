import { sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Tx } from './driver/tx.ts'
import { statement } from './sql/statement.ts'

/** Every job of the queue and its payload. Cron's own field of a payload is dropped. */
export const jobs = {
  /** Sends a mail. */
  mail: z.object({ mail_id: z.uuid() }),
  /** Sends members of teams mails about what is new. */
  notifications: z.object({}),
  /** Drops the partitions of past days. */
  partitions: z.object({}),
  /** Deletes rows that are kept for a time only. */
  retention: z.object({}),
  /** Removes payloads of events that are older than their team keeps them. */
  payloads: z.object({}),
  /** Disables endpoints that have been failing for days. */
  disabling: z.object({}),
  /** Makes the deliveries of a replay. */
  replay: z.object({ team_id: z.uuid(), replay_id: z.uuid() }),
  /** Renames or removes a tag in the submissions that the request left. */
  tag: z.object({ team_id: z.uuid(), project_id: z.uuid(), tag: z.string(), name: z.string().nullable() }),
  /** Reads a file into records. */
  import: z.object({ team_id: z.uuid(), project_id: z.uuid(), import_id: z.uuid() }),
  /** Removes the records of an import that was undone. */
  import_undo: z.object({ team_id: z.uuid(), project_id: z.uuid(), import_id: z.uuid() }),
  /** Deletes blobs that nothing refers to, and lets go of files of imports, uploads and originals that were kept long enough. */
  blobs: z.object({}),
  /** Finds blobs that nothing refers to, and files of videos that the store has lost. */
  orphans: z.object({}),
  /** Erases what is left of a person. */
  erasure: z.object({ team_id: z.uuid(), request_id: z.uuid() }),
  /** Removes deleted records for good. */
  purge: z.object({}),
}

export type JobName = keyof typeof jobs
export type JobPayload<Name extends JobName> = z.output<(typeof jobs)[Name]>

const add = statement<{ name: JobName; payload: string; max_attempts: number | null; queue: string | null }, never>(
  (p) => sql`
  select enqueue_job(${p.name}::text, ${p.payload}::json, ${p.max_attempts}::int, ${p.queue}::text)`,
)

/**
 * Adds a job in the transaction of what causes it. Without `maxAttempts` it has the queue's own number of attempts. Jobs of one
 * named `queue` run one at a time.
 */
export async function enqueue<Name extends JobName>(
  tx: Tx,
  name: Name,
  payload: JobPayload<Name>,
  { maxAttempts = null, queue = null }: { maxAttempts?: number | null; queue?: string | null } = {},
): Promise<void> {
  await add(tx, { name, payload: JSON.stringify(payload), max_attempts: maxAttempts, queue })
}
