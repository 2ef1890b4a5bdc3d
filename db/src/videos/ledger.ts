import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { enqueue } from '../jobs.ts'
import { statement } from '../sql/statement.ts'
import { key_routes } from '../tables/key-routes.ts'
import { unused_blobs } from '../tables/unused-blobs.ts'
import { type VideoRow, video_parts, videos } from '../tables/videos.ts'
import { isHeld, isOpen, LEASE_END, type VideoLease } from './lease.ts'
import { isVideo, type VideoRef } from './ref.ts'

/** What is known of an upload. */
export interface Upload
  extends Pick<VideoRow, 'team_id' | 'project_id' | 'id' | 'state' | 'size_bytes' | 'max_bytes' | 'offset_bytes' | 'upload_until'> {
  /** Whether its time is over, by the clock of the database. */
  is_expired: boolean
}

const UPLOAD = sql.raw(
  `v.team_id, v.project_id, v.id, v.state, v.size_bytes, v.max_bytes, v.offset_bytes, v.upload_until,
         v.state in ('reserved', 'uploading', 'expired') and v.upload_until <= now() as is_expired`,
)

const findByToken = statement<{ video_id: string; token_hash: Buffer }, Upload>(
  (p) => sql`
  select ${UPLOAD}
    from ${key_routes} r
    join ${videos} v on v.team_id = r.team_id and v.project_id = r.project_id and v.id = r.record_id
   where r.key_hash = ${p.token_hash} and v.token_hash = ${p.token_hash} and v.id = ${p.video_id} and v.deleted_at is null`,
)

/** Finds the upload that a token is for; null for a wrong token, for another upload's, and for a deleted upload. */
export async function findUpload(tx: Tx, upload: { video_id: string; token_hash: Buffer }): Promise<Upload | null> {
  return (await findByToken(tx, upload))[0] ?? null
}

const find = statement<VideoRef, Upload>(
  (p) => sql`
  select ${UPLOAD}
    from ${videos} v
   where ${isVideo(p)} and v.deleted_at is null`,
)

/** Reads an upload again; null once it is deleted. */
export async function readUpload(tx: Tx, ref: VideoRef): Promise<Upload | null> {
  return (await find(tx, ref))[0] ?? null
}

const declare = statement<VideoLease & { size_bytes: number }, { size_bytes: number }>(
  (p) => sql`
  update ${videos} v
     set size_bytes = ${p.size_bytes}, updated_at = now()
   where ${isHeld(p)} and ${isOpen} and v.size_bytes is null and ${p.size_bytes}::int between v.offset_bytes and v.max_bytes
  returning v.size_bytes`,
)

/** Sets the length of an upload that was reserved without one. Returns false when it is known, does not fit, or the lease was lost. */
export async function declareLength(tx: Tx, held: VideoLease, sizeBytes: number): Promise<boolean> {
  return (await declare(tx, { ...held, size_bytes: sizeBytes })).length > 0
}

/** A blob that holds the next bytes of an upload. */
export interface StoredPart {
  key: string
  size_bytes: number
}

interface Appended extends VideoLease {
  first_byte: number
  keys: string[]
  sizes: number[]
}

// The sizes alone say where each part begins, so the parts have no gaps. A part counts only while its blob is announced and not due:
// no job deletes it then. The lock and the clock keep out an announcement that is abandoned at the same time.
const append = statement<Appended, { offset_bytes: number }>(
  (p) => sql`
  with given as (
    select g.key, g.size_bytes, (${p.first_byte}::int + sum(g.size_bytes) over (order by g.position) - g.size_bytes)::int as first_byte
      from unnest(${p.keys}::text[], ${p.sizes}::int[]) with ordinality as g (key, size_bytes, position)
  ),
  announced as (
    select b.key
      from ${unused_blobs} b
     where b.team_id = ${p.team_id} and b.key = any (${p.keys}::text[]) and b.delete_at > clock_timestamp()
       for update
  ),
  moved as (
    update ${videos} v
       set offset_bytes = v.offset_bytes + (select sum(size_bytes) from given)::int, state = 'uploading',
           leased_until = ${LEASE_END}, updated_at = now()
     where ${isHeld(p)} and ${isOpen} and v.offset_bytes = ${p.first_byte}::int
       and v.offset_bytes + (select sum(size_bytes) from given) <= coalesce(v.size_bytes, v.max_bytes)
       and (select count(*) from announced) = cardinality(${p.keys}::text[])
    returning v.team_id, v.project_id, v.id, v.offset_bytes
  ),
  used as (
    delete from ${unused_blobs} b
     using moved m
     where b.team_id = m.team_id and b.key = any (${p.keys}::text[])
  ),
  added as (
    insert into ${video_parts} (team_id, project_id, video_id, first_byte, size_bytes, key)
    select m.team_id, m.project_id, m.id, g.first_byte, g.size_bytes, g.key
      from moved m, given g
  )
  select offset_bytes
    from moved`,
)

/**
 * Adds stored blobs to an upload, in their order: the offset moves over all of them in one statement, or over none. Returns the new
 * offset. Returns null when another holder has the lease, the upload is closed or deleted, the offset is another one, or a blob is
 * not announced any more; then nothing refers to the blobs.
 */
export async function appendParts(
  tx: Tx,
  held: VideoLease,
  { first_byte, parts }: { first_byte: number; parts: readonly StoredPart[] },
): Promise<number | null> {
  const keys = parts.map(({ key }) => key)
  const sizes = parts.map(({ size_bytes }) => size_bytes)
  return (await append(tx, { ...held, first_byte, keys, sizes }))[0]?.offset_bytes ?? null
}

const listAll = statement<VideoRef, StoredPart & { first_byte: number }>(
  (p) => sql`
  select v.first_byte, v.size_bytes, v.key
    from ${video_parts} v
   where v.team_id = ${p.team_id} and v.project_id = ${p.project_id} and v.video_id = ${p.video_id}
   order by v.first_byte`,
)

/** Lists the parts of a file, in their order. */
export async function listParts(tx: Tx, ref: VideoRef): Promise<(StoredPart & { first_byte: number })[]> {
  return listAll(tx, ref)
}

// A trigger notes their blobs.
const remove = statement<VideoRef, never>(
  (p) => sql`
  delete from ${video_parts}
   where team_id = ${p.team_id} and project_id = ${p.project_id} and video_id = ${p.video_id}`,
)

/** Lets a job delete the parts of a file. Call it in a transaction that has locked the video, and closed it for uploads. */
export async function discardParts(tx: Tx, ref: VideoRef): Promise<void> {
  await remove(tx, ref)
  await enqueue(tx, 'blobs', {})
}

const removeClip = statement<VideoRef, never>(
  (p) => sql`
  with gone as (
    update ${videos} v
       set clip_key = null, poster_key = null
      from ${videos} before
     where ${isVideo(p)} and before.team_id = v.team_id and before.project_id = v.project_id and before.id = v.id
    returning before.team_id, before.clip_key, before.poster_key
  )
  insert into ${unused_blobs} (team_id, key)
  select g.team_id, k.key
    from gone g, unnest(array[g.clip_key, g.poster_key]) k (key)
   where k.key is not null
      on conflict (team_id, key) do update set delete_at = now()`,
)

/** Lets a job delete the clip and the poster of a video. Call it in a transaction that has locked the video. */
export async function discardClip(tx: Tx, ref: VideoRef): Promise<void> {
  await removeClip(tx, ref)
  await enqueue(tx, 'blobs', {})
}

/** Lets a job delete every byte of a video. Call it in a transaction that has locked the video. */
export async function discardFiles(tx: Tx, ref: VideoRef): Promise<void> {
  await removeClip(tx, ref)
  await discardParts(tx, ref)
}

const close = statement<VideoRef, { id: string }>(
  (p) => sql`
  update ${videos} v
     set deleted_at = now(), lease_number = v.lease_number + 1, leased_until = null, updated_at = now()
   where ${isVideo(p)} and ${isOpen}
  returning v.id`,
)

/** Ends an upload that is not complete, with what has arrived. Returns false when it is not open. */
export function terminateUpload(tx: Tx, ref: VideoRef): Promise<boolean> {
  return transaction(tx, async (tx) => {
    // A part that is added at the same time is committed before, or not at all: both change this row.
    if ((await close(tx, ref)).length === 0) return false
    await discardParts(tx, ref)
    return true
  })
}
