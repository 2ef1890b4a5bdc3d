import { durations } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { account_links } from '../tables/accounts.ts'
import { credentials } from '../tables/credentials.ts'
import { feed_late_days } from '../tables/events.ts'
import { idempotency_keys } from '../tables/idempotency.ts'
import { invitations } from '../tables/invitations.ts'
import { jwt_keys } from '../tables/jwt-keys.ts'
import { mails } from '../tables/mails.ts'
import { wrong_codes } from '../tables/mfa.ts'
import { authorization_codes, device_codes } from '../tables/oauth.ts'
import { abuse_blocks, rate_windows } from '../tables/rate-limits.ts'
import { visitor_fingerprints } from '../tables/submissions.ts'
import { access_tokens, refresh_tokens } from '../tables/tokens.ts'
import { users } from '../tables/users.ts'
import { webhook_attempt_hours, webhook_deliveries, webhook_replays } from '../tables/webhooks.ts'
import { type BatchedDelete, batchedDelete } from './batched-delete.ts'

/** Rows with a limited lifetime, outside of partitions. */
const past: Record<string, BatchedDelete> = {
  // Those that never ended, as of an endpoint that stays paused; the others are dropped with their partitions.
  webhook_deliveries: batchedDelete(sql`${webhook_deliveries}`, sql`gone.id < uuid_at(now() - ${days(durations.deliveryDays)})`),
  webhook_attempt_hours: batchedDelete(sql`${webhook_attempt_hours}`, sql`gone.hour < now() - ${days(durations.attemptFigureDays)}`),
  // The positions up to there are dropped with their partitions.
  feed_late_days: batchedDelete(
    sql`${feed_late_days}`,
    sql`gone.last_position < feed_position_at(now() - ${days(durations.eventDays + 1)})`,
  ),
  // Whose job was given up, so that the endpoint can have another.
  webhook_replays: batchedDelete(sql`${webhook_replays}`, sql`gone.id < uuid_at(now() - interval '2 days')`),
  mails: batchedDelete(sql`${mails}`, sql`gone.id < uuid_at(now() - ${days(durations.mailDays)})`),
  idempotency_keys: batchedDelete(sql`${idempotency_keys}`, sql`gone.created_at < now() - ${hours(durations.idempotencyKeyHours)}`),
  // The longest window is an hour, but for the counts of a day.
  rate_windows: batchedDelete(
    sql`${rate_windows}`,
    sql`gone.window_start < now() - case when gone.subject ~ '^(mail:)?day:' then interval '25 hours' else interval '2 hours' end`,
  ),
  // A day after its end a block is forgotten, and the next one begins with an hour again.
  abuse_blocks: batchedDelete(
    sql`${abuse_blocks}`,
    sql`coalesce(gone.blocked_until, gone.violations[cardinality(gone.violations)]) < now() - interval '24 hours'`,
  ),
  account_links: batchedDelete(sql`${account_links}`, sql`gone.expires_at < now() - interval '1 day'`),
  // Nobody can sign in to an account whose address was never verified, so nothing depends on it.
  users: batchedDelete(
    sql`${users}`,
    sql`gone.email_verified_at is null and gone.id < uuid_at(now() - ${days(durations.unverifiedAccountDays)})`,
  ),
  access_tokens: batchedDelete(sql`${access_tokens}`, sql`gone.expires_at < now() - interval '1 day'`),
  // A day longer an unused one says that it has expired.
  refresh_tokens: batchedDelete(
    sql`${refresh_tokens}`,
    sql`gone.expires_at < now() and (gone.used_at is not null or gone.expires_at < now() - interval '1 day')`,
  ),
  // The second use of a used one ends its credential, which is all that it is kept for.
  refresh_tokens_of_ended: batchedDelete(
    sql`${refresh_tokens}`,
    sql`gone.credential_id in (select id from ${credentials} where revoked_at is not null)`,
  ),
  authorization_codes: batchedDelete(sql`${authorization_codes}`, sql`gone.expires_at < now() - interval '1 day'`),
  device_codes: batchedDelete(sql`${device_codes}`, sql`gone.expires_at < now() - interval '1 day'`),
  wrong_codes: batchedDelete(sql`${wrong_codes}`, sql`gone.id < uuid_at(now() - interval '1 day')`),
  invitations: batchedDelete(
    sql`${invitations}`,
    sql`coalesce(gone.accepted_at, gone.revoked_at, gone.expires_at) < now() - ${days(durations.closedInvitationDays)}`,
  ),
  jwt_keys: batchedDelete(sql`${jwt_keys}`, sql`gone.retires_at < now()`),
  visitor_fingerprints: batchedDelete(
    sql`${visitor_fingerprints}`,
    sql`gone.record_id < uuid_at(now() - ${minutes(durations.duplicateSubmissionMinutes)})`,
  ),
}

/** Deletes rows that are past their lifetime; returns the number of rows by table. */
export async function deletePast(tx: Tx): Promise<Record<string, number>> {
  return deleteAll(tx, past)
}

/** Runs deletions in the given order; returns the number of rows of each. */
export async function deleteAll(tx: Tx, deletions: Record<string, BatchedDelete>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [name, run] of Object.entries(deletions)) counts[name] = await run(tx)
  return counts
}

/** An interval of the durations that contracts state, as text: what a statement deletes never depends on a request. */
function days(count: number): SQL {
  return sql.raw(`interval '${count} days'`)
}

function hours(count: number): SQL {
  return sql.raw(`interval '${count} hours'`)
}

function minutes(count: number): SQL {
  return sql.raw(`interval '${count} minutes'`)
}
