import { ApiError, sizes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { changedFields, recordAudit } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { inUtc } from '../sql/timestamps.ts'
import { type SubmissionRow, submissions } from '../tables/submissions.ts'
import { requireVerbatim } from './excerpt.ts'
import { isSubmission, refValues, type SubmissionRef, type SubmissionRefValues } from './find.ts'
import { mergedMetadata } from './merge-patch.ts'

/** Fields to change. Absent ones stay as they are. */
export interface SubmissionChange {
  tags?: string[] | undefined
  addTags?: string[] | undefined
  removeTags?: string[] | undefined
  /** A JSON Merge Patch. */
  metadata?: Record<string, unknown> | undefined
  featured?: boolean | undefined
  excerpt?: string | null | undefined
  position?: number | null | undefined
  consent?: { granted: boolean; text?: string | null | undefined; granted_at?: string | null | undefined } | undefined
}

const lock = statement<SubmissionRefValues, SubmissionRow>(
  (p) => sql`
  select ${columnsOf(submissions)}
    from ${submissions}
   where ${isSubmission(p)}
     for no key update`,
)

/** The columns that can change. */
type ChangedColumns = Pick<
  SubmissionRow,
  'tags' | 'featured' | 'excerpt' | 'position' | 'consent_granted' | 'consent_text' | 'consent_granted_at'
> & { metadata: string | null }

const update = statement<SubmissionRefValues & ChangedColumns, SubmissionRow>(
  (p) => sql`
  update ${submissions}
     set tags = ${p.tags}::text[],
         metadata = coalesce(${p.metadata}::jsonb, metadata),
         featured = ${p.featured}::boolean,
         excerpt = ${p.excerpt}::text,
         position = ${p.position}::double precision,
         consent_granted = ${p.consent_granted}::boolean,
         consent_text = ${p.consent_text}::text,
         consent_granted_at = case when ${p.consent_granted}::boolean then coalesce(${p.consent_granted_at}::timestamptz, now()) end,
         updated_at = now()
   where ${isSubmission(p)}
  returning ${columnsOf(submissions)}`,
)

/**
 * Changes what the team says of a submission; the author's text is never edited. Throws `not_found`, and `validation_error` for
 * metadata that grew too large, too many tags or an excerpt that is no part of the body.
 */
export function updateSubmission(tx: Tx, actor: Actor, ref: SubmissionRef, change: SubmissionChange): Promise<SubmissionRow> {
  return transaction(tx, async (tx) => {
    const before = (await lock(tx, refValues(ref)))[0] ?? notFound()
    requireVerbatim(change.excerpt, before.body)
    const after = onlyOne(await update(tx, { ...refValues(ref), ...changedColumns(before, change) }))
    await recordAudit(tx, actor, {
      team_id: ref.team_id,
      project_id: ref.project_id,
      action: 'submission.updated',
      target: 'submission',
      target_id: ref.submission_id,
      changes: changedFields(before, after),
    })
    return after
  })
}

function changedColumns(before: SubmissionRow, change: SubmissionChange): ChangedColumns {
  const { metadata, featured, excerpt, position, consent } = change
  return {
    tags: changedTags(before.tags, change),
    metadata: metadata ? JSON.stringify(mergedMetadata(before.metadata, metadata)) : null,
    featured: featured ?? before.featured,
    excerpt: excerpt === undefined ? before.excerpt : excerpt,
    position: position === undefined ? before.position : position,
    ...(consent ? changedConsent(before, consent) : consentOf(before)),
  }
}

function changedTags(before: string[], { tags = before, addTags = [], removeTags = [] }: SubmissionChange): string[] {
  const removed = new Set(removeTags)
  const changed = [...new Set([...tags, ...addTags])].filter((tag) => !removed.has(tag))
  if (changed.length <= sizes.tags) return changed
  const detail = `the submission would have ${changed.length} tags, of at most ${sizes.tags}`
  throw new ApiError('validation_error', { errors: [{ field: 'add_tags', code: 'too_many', detail }] })
}

function changedConsent(before: SubmissionRow, { granted, text, granted_at }: NonNullable<SubmissionChange['consent']>) {
  const since = inUtc(granted_at)
  return {
    consent_granted: granted,
    consent_text: text === undefined ? before.consent_text : text,
    consent_granted_at: since === undefined ? before.consent_granted_at : since,
  }
}

function consentOf({ consent_granted, consent_text, consent_granted_at }: SubmissionRow) {
  return { consent_granted, consent_text, consent_granted_at }
}
