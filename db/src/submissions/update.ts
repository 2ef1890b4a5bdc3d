import { ApiError, fitsAsStoredJson, sizes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { changedFields, recordAudit } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { type SubmissionRow, submissions } from '../tables/submissions.ts'
import { isSubmission, type SubmissionRef } from './find.ts'
import { mergePatch } from './merge-patch.ts'

export interface SubmissionChange {
  tags?: string[] | undefined
  /** A JSON Merge Patch. */
  metadata?: Record<string, unknown> | undefined
}

const lock = statement<SubmissionRef, SubmissionRow>(
  (p) => sql`
  select ${columnsOf(submissions)}
    from ${submissions}
   where ${isSubmission(p)}
     for no key update`,
)

const update = statement<SubmissionRef & { tags: string[]; metadata: string | null }, SubmissionRow>(
  (p) => sql`
  update ${submissions}
     set tags = ${p.tags}::text[],
         metadata = coalesce(${p.metadata}::jsonb, metadata),
         updated_at = now()
   where ${isSubmission(p)}
  returning ${columnsOf(submissions)}`,
)

/** Changes tags and metadata; the words are never edited. Throws `not_found`, and `validation_error` for metadata that grew too large. */
export function updateSubmission(tx: Tx, actor: Actor, ref: SubmissionRef, change: SubmissionChange): Promise<SubmissionRow> {
  return transaction(tx, async (tx) => {
    const before = (await lock(tx, ref))[0] ?? notFound()
    const tags = change.tags ? [...new Set(change.tags)] : before.tags
    const metadata = change.metadata ? JSON.stringify(mergedMetadata(before.metadata, change.metadata)) : null
    const after = onlyOne(await update(tx, { ...ref, tags, metadata }))
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

/** Each patch is small enough, but their merge may not be. */
function mergedMetadata(metadata: Record<string, unknown>, patch: Record<string, unknown>): unknown {
  const merged = mergePatch(metadata, patch)
  if (fitsAsStoredJson(merged, sizes.metadataBytes)) return merged
  const detail = `must be at most ${sizes.metadataBytes} bytes of JSON after the merge`
  throw new ApiError('validation_error', { errors: [{ field: 'metadata', code: 'too_big', detail }] })
}
