import { ApiError, type SubmissionState } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Actor, type ActorValues, actorParameter, actorValues } from '../sql/actor.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { submissions } from '../tables/submissions.ts'

export type SubmissionRow = typeof submissions.$inferSelect

/** Where a submission is: team, project, id. */
export interface SubmissionRef {
  team_id: string
  project_id: string
  submission_id: string
}

/** The columns that a caller may set on creation. Absent ones take the table's defaults. */
export type NewSubmission = Partial<
  Omit<SubmissionRow, 'team_id' | 'project_id' | 'id' | 'state' | 'is_public' | 'created_at' | 'updated_at'>
> &
  Pick<SubmissionRow, 'kind' | 'channel' | 'body' | 'author_name'>

const { placeholder } = sql
const place = sql`${placeholder('team_id')}::uuid, ${placeholder('project_id')}::uuid`
const here = sql`team_id = ${placeholder('team_id')} and project_id = ${placeholder('project_id')} and id = ${placeholder('submission_id')} and deleted_at is null`

const arrival = sql`create_submission(${place}, ${placeholder('fields')}::jsonb, null, null)`

const create = statement<object, SubmissionRow>(sql`
  select (r.submission).*
    from ${arrival} r`)

const createAudited = statement<object, SubmissionRow>(sql`
  select (r.submission).*,
         record_audit(${actorParameter}, (r.submission).team_id, (r.submission).project_id, 'submission.created', 'submission', (r.submission).id)
    from ${arrival} r`)

/**
 * A submission arrives: record, event, deliveries and quota in one statement; with an actor, the audit log's line too.
 * Throws `quota_exceeded`, `already_exists`.
 */
export async function createSubmission(
  tx: Tx,
  place: { team_id: string; project_id: string },
  fields: NewSubmission,
  actor?: Actor,
): Promise<SubmissionRow> {
  const values = { ...place, fields: JSON.stringify({ ...fields, tags: fields.tags && [...new Set(fields.tags)] }) }
  return onlyOne(await (actor ? createAudited(tx, { ...values, ...actorValues(actor) }) : create(tx, values)))
}

const find = statement<SubmissionRef, SubmissionRow>(sql`
  select *
    from ${submissions}
   where ${here}`)

export async function findSubmission(tx: Tx, ref: SubmissionRef): Promise<SubmissionRow> {
  return (await find(tx, ref))[0] ?? notFound()
}

const update = statement<SubmissionRef & ActorValues & { tags: string[] | null; metadata: string | null }, SubmissionRow>(sql`
  with before as (
    select *
      from ${submissions}
     where ${here}
       for no key update
  ),
  after as (
    update ${submissions} s
       set tags = coalesce(${placeholder('tags')}::text[], s.tags),
           metadata = case
             when ${placeholder('metadata')}::jsonb is null then s.metadata
             else checked_metadata(merge_patch(s.metadata, ${placeholder('metadata')}::jsonb))
           end,
           updated_at = now()
      from before
     where s.team_id = before.team_id and s.project_id = before.project_id and s.id = before.id
    returning s.*
  )
  select after.*, record_audit(${actorParameter}, after.team_id, after.project_id, 'submission.updated', 'submission', after.id,
           changed_fields(to_jsonb(before), to_jsonb(after))) as audited
    from after, before`)

/** Changes tags and metadata; the words are never edited. */
export async function updateSubmission(
  tx: Tx,
  actor: Actor,
  ref: SubmissionRef,
  { tags, metadata }: { tags?: string[] | undefined; metadata?: Record<string, unknown> | undefined },
): Promise<SubmissionRow> {
  const rows = await update(tx, {
    ...actorValues(actor),
    ...ref,
    tags: tags ? [...new Set(tags)] : null,
    metadata: metadata ? JSON.stringify(metadata) : null,
  })
  return rows[0] ?? notFound()
}

const remove = statement<SubmissionRef & ActorValues, { id: string }>(sql`
  with gone as (
    update ${submissions}
       set deleted_at = now()
     where ${here}
    returning team_id, project_id, id
  )
  select id, record_audit(${actorParameter}, team_id, project_id, 'submission.deleted', 'submission', id) as audited
    from gone`)

/** Makes a submission invisible at once; a job removes it for good. */
export async function deleteSubmission(tx: Tx, actor: Actor, ref: SubmissionRef): Promise<void> {
  if ((await remove(tx, { ...actorValues(actor), ...ref })).length === 0) notFound()
}

export interface Decision {
  to: 'approved' | 'rejected'
  expected_state: SubmissionState
  reason?: string | null | undefined
}

type Outcome = 'changed' | 'unchanged' | 'conflict' | 'not_found'
type ModeratedRow = SubmissionRow & { outcome: Outcome }

const moderate = statement<object, ModeratedRow>(sql`
  select r.outcome, (r.submission).*
    from moderate_submission(
      ${actorParameter}, ${place}, ${placeholder('submission_id')}, ${placeholder('to')}, ${placeholder('expected_state')}, ${placeholder('reason')}
    ) r`)

/** Compare-and-set. Throws `not_found`, and `state_conflict` with the state that it found. */
export async function moderateSubmission(tx: Tx, actor: Actor, ref: SubmissionRef, decision: Decision): Promise<ModeratedRow> {
  const row = onlyOne(await moderate(tx, { ...actorValues(actor), ...ref, ...decision, reason: decision.reason ?? null }))
  if (row.outcome === 'not_found') notFound()
  if (row.outcome === 'conflict') throw new ApiError('state_conflict', { current_state: row.state })
  return row
}

const moderateMany = statement<object, ModeratedRow & { item_number: number }>(sql`
  select r.item_number, r.outcome, (r.submission).*
    from moderate_submissions(${actorParameter}, ${place}, ${placeholder('items')}::jsonb) r`)

/** Many decisions in one statement, each on its own; rows come in the order of the items. */
export async function moderateSubmissions(
  tx: Tx,
  actor: Actor,
  place: { team_id: string; project_id: string },
  items: (Decision & { submission_id: string })[],
): Promise<ModeratedRow[]> {
  return moderateMany(tx, { ...actorValues(actor), ...place, items: JSON.stringify(items) })
}

const revokeConsentStatement = statement<{ revokeTokenHash: Buffer }, SubmissionRow>(sql`
  select *
    from revoke_consent(${placeholder('revokeTokenHash')})`)

/** The person takes the consent back with the receipt's token. Throws `not_found` for an unknown token. */
export async function revokeConsent(tx: Tx, revokeTokenHash: Buffer): Promise<SubmissionRow> {
  return (await revokeConsentStatement(tx, { revokeTokenHash }))[0] ?? notFound()
}
