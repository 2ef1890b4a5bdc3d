import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { videos } from '../tables/videos.ts'
import { discardParts } from './ledger.ts'
import { isVideo, type VideoRef } from './ref.ts'

const BATCH = 50

type None = Record<never, never>

const due = (condition: SQL) =>
  statement<None, VideoRef>(sql`
  select v.team_id, v.project_id, v.id as video_id
    from ${videos} v
   where ${condition}
   limit ${sql.raw(String(BATCH))}
     for no key update skip locked`)

const expired = due(sql`v.state in ('reserved', 'uploading') and v.upload_until <= now()`)
const kept = due(sql`v.original_until <= now()`)

const expire = statement<VideoRef, never>(
  (p) => sql`
  update ${videos} v
     set state = 'expired', lease_number = v.lease_number + 1, leased_until = null, updated_at = now()
   where ${isVideo(p)}`,
)

const release = statement<VideoRef, never>(
  (p) => sql`
  update ${videos} v
     set original_until = null
   where ${isVideo(p)}`,
)

/** Ends uploads that were not completed in time, with what has arrived of them. Returns whether there may be more. */
export function expireUploads(tx: Tx): Promise<boolean> {
  return each(tx, expired, async (tx, ref) => {
    await expire(tx, ref)
    await discardParts(tx, ref)
  })
}

/** Lets go of originals that were kept long enough. Returns whether there may be more. */
export function releaseOriginals(tx: Tx): Promise<boolean> {
  return each(tx, kept, async (tx, ref) => {
    await release(tx, ref)
    await discardParts(tx, ref)
  })
}

function each(tx: Tx, list: typeof expired, work: (tx: Tx, ref: VideoRef) => Promise<void>): Promise<boolean> {
  return transaction(tx, async (tx) => {
    const refs = await list(tx, {})
    for (const ref of refs) await work(tx, ref)
    return refs.length === BATCH
  })
}
