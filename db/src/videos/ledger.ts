import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { ProjectRef } from '../projects.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { unused_blobs } from '../tables/imports.ts'
import { key_routes } from '../tables/key-routes.ts'
import { type VideoRow, video_parts, videos } from '../tables/videos.ts'

export type VideoRef = ProjectRef & { video_id: string }

/** A client that is silent for so long loses the upload to the next one. */
const LEASE_SECONDS = 30

/** What is known of an upload. */
export type Upload = Pick<VideoRow, 'team_id' | 'project_id' | 'id' | 'state' | 'size_bytes' | 'max_bytes' | 'offset_bytes' | 'upload_until'>

/** The right to move the offset, until the next lease is given or this one ends. */
export interface UploadLease {
  lease_number: number
  offset_bytes: number
}

const UPLOAD = sql.raw('v.team_id, v.project_id, v.id, v.state, v.size_bytes, v.max_bytes, v.offset_bytes, v.upload_until')
const isVideo = (p: Parameters<VideoRef>) => sql`v.team_id = ${p.team_id} and v.project_id = ${p.project_id} and v.id = ${p.video_id}`
const isOpen = sql`v.state in ('reserved', 'uploading') and v.upload_until > now() and v.deleted_at is null`
const leaseEnd = sql.raw(`now() + interval '${LEASE_SECONDS} seconds'`)

const findByToken = statement<{ video_id: string; token_hash: Buffer }, Upload>(
  (p) => sql`
  select ${UPLOAD}
    from ${key_routes} r
    join ${videos} v on v.team_id = r.team_id and v.project_id = r.project_id and v.id = r.record_id
   where r.key_hash = ${p.token_hash} and v.token_hash = ${p.token_hash} and v.id = ${p.video_id} and v.deleted_at is null`,
)

/** Finds the upload that a token is for; null for a wrong token, and for another upload's. */
export async function findUpload(tx: Tx, upload: { video_id: string; token_hash: Buffer }): Promise<Upload | null> {
  return (await findByToken(tx, upload))[0] ?? null
}

const take = statement<VideoRef, UploadLease>(
  (p) => sql`
  update ${videos} v
     set lease_number = v.lease_number + 1, leased_until = ${leaseEnd}
   where ${isVideo(p)} and ${isOpen} and (v.leased_until is null or v.leased_until < now())
  returning v.lease_number, v.offset_bytes`,
)

/** Takes the lease of an upload that nobody writes; null while somebody does, and when it is closed. */
export async function takeLease(tx: Tx, ref: VideoRef): Promise<UploadLease | null> {
  return (await take(tx, ref))[0] ?? null
}

type Held = VideoRef & { lease_number: number }
const isHeld = (p: Parameters<Held>) => sql`${isVideo(p)} and v.lease_number = ${p.lease_number} and v.leased_until > now()`

const renew = statement<Held, UploadLease>(
  (p) => sql`
  update ${videos} v
     set leased_until = ${leaseEnd}
   where ${isHeld(p)} and ${isOpen}
  returning v.lease_number, v.offset_bytes`,
)

/** Keeps a lease while bytes arrive. Returns false once it is lost. */
export async function renewLease(tx: Tx, held: Held): Promise<boolean> {
  return (await renew(tx, held)).length > 0
}

const release = statement<Held, never>(
  (p) => sql`
  update ${videos} v
     set leased_until = null
   where ${isHeld(p)}`,
)

/** Gives a lease back, so that the next request need not wait for its end. */
export async function releaseLease(tx: Tx, held: Held): Promise<void> {
  await release(tx, held)
}

const append = statement<Held & { first_byte: number; part_bytes: number; key: string }, { offset_bytes: number }>(
  (p) => sql`
  with moved as (
    update ${videos} v
       set offset_bytes = v.offset_bytes + ${p.part_bytes}::int, state = 'uploading', leased_until = ${leaseEnd}, updated_at = now()
     where ${isHeld(p)} and ${isOpen} and v.offset_bytes = ${p.first_byte}::int
       and v.offset_bytes + ${p.part_bytes}::bigint <= coalesce(v.size_bytes, v.max_bytes)
    returning v.team_id, v.project_id, v.id, v.offset_bytes
  ),
  used as (
    delete from ${unused_blobs} b
     using moved m
     where b.team_id = m.team_id and b.key = ${p.key}
  ),
  added as (
    insert into ${video_parts} (team_id, project_id, video_id, first_byte, size_bytes, key)
    select m.team_id, m.project_id, m.id, ${p.first_byte}::int, ${p.part_bytes}::int, ${p.key}
      from moved m
  )
  select offset_bytes
    from moved`,
)

/**
 * Adds a stored blob to an upload: the offset moves over it, in one statement. Returns the new offset; null when the lease was
 * lost or the upload is closed, and then nothing refers to the blob, which a job deletes.
 */
export async function appendPart(tx: Tx, part: Held & { first_byte: number; part_bytes: number; key: string }): Promise<number | null> {
  return transaction(tx, async (tx) => (await append(tx, part))[0]?.offset_bytes ?? null)
}
