import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { videos } from '../tables/videos.ts'
import { isVideo, type VideoRef } from './ref.ts'

/** Who is silent for so long loses an upload to the next one who wants it. */
const LEASE_SECONDS = 30
export const LEASE_END = sql.raw(`now() + interval '${LEASE_SECONDS} seconds'`)

/**
 * The right to move the offset of an upload. The number is the fence: it is good until a higher one is given, whatever the time, so
 * a holder that slept past the end of its lease can do nothing once somebody else has taken it.
 */
export type VideoLease = VideoRef & { lease_number: number }

export const isHeld = (p: Parameters<VideoLease>) => sql`${isVideo(p)} and v.lease_number = ${p.lease_number}`
/** Bytes may come. Whoever completes a video takes it out of these states, and the offset stands from then on. */
export const isOpen = sql`v.state in ('reserved', 'uploading') and v.upload_until > now() and v.deleted_at is null`

const take = statement<VideoRef, { lease_number: number }>(
  (p) => sql`
  update ${videos} v
     set lease_number = v.lease_number + 1, leased_until = ${LEASE_END}
   where ${isVideo(p)} and ${isOpen} and (v.leased_until is null or v.leased_until <= now())
  returning v.lease_number`,
)

/** Takes the lease of an upload that nobody writes; null while somebody does, and when it is closed. */
export async function takeLease(tx: Tx, { team_id, project_id, video_id }: VideoRef): Promise<VideoLease | null> {
  const [taken] = await take(tx, { team_id, project_id, video_id })
  return taken ? { team_id, project_id, video_id, lease_number: taken.lease_number } : null
}

const renew = statement<VideoLease, { lease_number: number }>(
  (p) => sql`
  update ${videos} v
     set leased_until = ${LEASE_END}
   where ${isHeld(p)} and ${isOpen}
  returning v.lease_number`,
)

/** Keeps a lease while bytes arrive, or takes it back if nobody else has meanwhile. Returns false once it is lost. */
export async function renewLease(tx: Tx, held: VideoLease): Promise<boolean> {
  return (await renew(tx, held)).length > 0
}

const release = statement<VideoLease, never>(
  (p) => sql`
  update ${videos} v
     set leased_until = null
   where ${isHeld(p)}`,
)

/** Lets the next one take the lease at once. */
export async function releaseLease(tx: Tx, held: VideoLease): Promise<void> {
  await release(tx, held)
}
