import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { notFound } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { submissions } from '../tables/submissions.ts'
import { removeVideo } from '../videos/delete.ts'
import { findSubmission, isSubmission, refValues, type SubmissionRef, type SubmissionRefValues } from './find.ts'

const remove = statement<SubmissionRefValues, { id: string }>(
  (p) => sql`
  update ${submissions}
     set deleted_at = now()
   where ${isSubmission(p)}
  returning id`,
)

/** Hides a submission at once, and its video; jobs remove them for good. Throws `not_found`. */
export function deleteSubmission(tx: Tx, actor: Actor, ref: SubmissionRef): Promise<void> {
  return transaction(tx, async (tx) => {
    const { team_id, project_id } = ref
    const { video_id } = await findSubmission(tx, ref)
    // The video first, as whoever makes it ready does.
    if (video_id !== null) await removeVideo(tx, { team_id, project_id, video_id })
    const { id } = (await remove(tx, refValues(ref)))[0] ?? notFound()
    await recordAudit(tx, actor, { team_id, project_id, action: 'submission.deleted', target: 'submission', target_id: id })
  })
}
