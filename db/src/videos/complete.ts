import { ApiError } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { statement } from '../sql/statement.ts'
import { videos } from '../tables/videos.ts'
import { isVideo, type VideoRef } from './ref.ts'
import { auditTarget, type CaptionedVideo, findVideo, lockVideo } from './videos.ts'

// Whoever writes the upload loses its lease.
const complete = statement<VideoRef, never>(
  (p) => sql`
  update ${videos} v
     set state = 'uploaded', size_bytes = v.offset_bytes, uploaded_at = now(), lease_number = v.lease_number + 1, leased_until = null,
         updated_at = now()
   where ${isVideo(p)}`,
)

const retry = statement<VideoRef, never>(
  (p) => sql`
  update ${videos} v
     set state = 'uploaded', uploaded_at = now(), failed_attempts = 0, error_code = null, error_detail = null, progress = null,
         original_until = null, updated_at = now()
   where ${isVideo(p)}`,
)

/**
 * Ends the upload of a file whose bytes are all there, and lets it be transcoded. A video that is complete is returned as it is.
 * Throws `state_conflict` while bytes are missing, and for an upload that has expired.
 */
export function completeVideo(tx: Tx, ref: VideoRef): Promise<CaptionedVideo> {
  return transaction(tx, async (tx) => {
    const video = await lockVideo(tx, ref)
    const { state, offset_bytes, size_bytes } = video
    if (state === 'expired') throw new ApiError('state_conflict', { current_state: state })
    if (state !== 'reserved' && state !== 'uploading') return video
    if (offset_bytes === 0 || (size_bytes !== null && offset_bytes < size_bytes)) {
      const detail = `Bytes are missing: ${offset_bytes} of ${size_bytes ?? 'an unknown number'} have arrived. Upload the rest from there.`
      throw new ApiError('state_conflict', { current_state: state, offset_bytes, detail })
    }
    await complete(tx, ref)
    return findVideo(tx, ref)
  })
}

/** Lets a video that failed be transcoded again. One that waits or runs is returned as it is. Throws `state_conflict`. */
export function retryVideo(tx: Tx, actor: Actor, ref: VideoRef): Promise<CaptionedVideo> {
  return transaction(tx, async (tx) => {
    const video = await lockVideo(tx, ref)
    if (video.state === 'uploaded' || video.state === 'transcoding') return video
    if (video.state !== 'failed') throw new ApiError('state_conflict', { current_state: video.state })
    if (video.original_until === null) throw new ApiError('state_conflict', { current_state: 'failed', detail: 'The original is deleted.' })
    await retry(tx, ref)
    await recordAudit(tx, actor, { ...auditTarget(video), action: 'video.retried' })
    return findVideo(tx, ref)
  })
}
