import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { consumeQuota } from '../quotas.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { type SubmissionRow, submissions } from '../tables/submissions.ts'
import { requireVerbatim } from './excerpt.ts'
import { isSubmission, refValues, type SubmissionRefValues } from './find.ts'

/**
 * The columns that a caller may set on creation. Absent ones take the table's defaults. An `id` begins with the time at which
 * the submission counts as arrived.
 */
export type NewSubmission = Partial<Omit<SubmissionRow, 'team_id' | 'project_id' | 'state' | 'is_public' | 'created_at' | 'updated_at'>> &
  Pick<SubmissionRow, 'kind' | 'channel' | 'body' | 'author_name'>

interface ProjectRef {
  team_id: string
  project_id: string
}

const create = statement<ProjectRef & { id: string | null; fields: string; revoke_token_hash: Buffer | null }, SubmissionRow>(
  (p) => sql`
  select ${columnsOf(submissions)}
    from create_submissions(
           array[${p.team_id}::uuid], array[${p.project_id}::uuid], array[coalesce(${p.id}::uuid, uuidv7())],
           array[${p.fields}::jsonb], array[${p.revoke_token_hash}::bytea]
         )`,
)

const announceTestimonial = statement<SubmissionRefValues, never>(
  (p) => sql`
  select emit_event(team_id, project_id, 'testimonial.created', json_build_object('testimonial', testimonial_payload(s)))
    from ${submissions} s
   where ${isSubmission(p)}`,
)

/**
 * Stores a submission with its events and deliveries, and charges the quota. With an actor the audit log records it.
 * Throws `already_exists`, `quota_exceeded`, and `validation_error` for an excerpt that is no part of the body.
 */
export function createSubmission(
  tx: Tx,
  { team_id, project_id }: ProjectRef,
  fields: NewSubmission,
  actor?: Actor,
): Promise<SubmissionRow> {
  return transaction(tx, async (tx) => {
    requireVerbatim(fields.excerpt, fields.body)
    const { id = null, revoke_token_hash = null, ...others } = fields
    const unique = { ...others, tags: fields.tags && [...new Set(fields.tags)] }
    const row = onlyOne(await create(tx, { team_id, project_id, id, fields: JSON.stringify(unique), revoke_token_hash }))
    if (row.kind === 'testimonial') await announceTestimonial(tx, refValues({ team_id, project_id, submission_id: row.id }))
    if (actor) await recordAudit(tx, actor, { team_id, project_id, action: 'submission.created', target: 'submission', target_id: row.id })
    await consumeQuota(tx, team_id, 'submissions')
    return row
  })
}
