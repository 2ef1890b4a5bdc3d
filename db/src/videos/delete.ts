import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { statement } from '../sql/statement.ts'
import { submissions } from '../tables/submissions.ts'
import { videos } from '../tables/videos.ts'
import { discardFiles } from './ledger.ts'
import { isVideo, type VideoRef } from './ref.ts'
import { auditTarget, lockVideo } from './videos.ts'

// Whoever uploads or transcodes it can do nothing more.
const remove = statement<VideoRef, never>(
  (p) => sql`
  update ${videos} v
     set deleted_at = now(), lease_number = v.lease_number + 1, attempt = v.attempt + 1, leased_until = null, updated_at = now()
   where ${isVideo(p)} and v.deleted_at is null`,
)

const leaveSubmission = statement<VideoRef, never>(
  (p) => sql`
  update ${submissions} s
     set video_id = null, video_is_ready = false, updated_at = now()
    from ${videos} v
   where ${isVideo(p)} and s.team_id = v.team_id and s.project_id = v.project_id and s.id = v.submission_id`,
)

/** Deletes a video with all its files. Its submission stays, without the video, and is not public. Throws `not_found`. */
export function deleteVideo(tx: Tx, actor: Actor, ref: VideoRef): Promise<void> {
  return transaction(tx, async (tx) => {
    const video = await lockVideo(tx, ref)
    await removeVideo(tx, ref)
    await leaveSubmission(tx, ref)
    await recordAudit(tx, actor, { ...auditTarget(video), action: 'video.deleted' })
  })
}

/** Makes a video invisible at once, and lets jobs delete its files and its row. Does nothing to one that is deleted already. */
export async function removeVideo(tx: Tx, ref: VideoRef): Promise<void> {
  await remove(tx, ref)
  await discardFiles(tx, ref)
}
