import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { enqueue } from './jobs.ts'
import { type Parameters, statement } from './sql/statement.ts'
import { unused_blobs } from './tables/unused-blobs.ts'

/** A blob of a team. */
export interface BlobRef {
  team_id: string
  key: string
}

/** Longer than any upload takes. */
const UPLOAD_TIME = sql.raw(`interval '1 day'`)

export const isBlob = (p: Parameters<BlobRef>) => sql`team_id = ${p.team_id} and key = ${p.key}`

const announce = statement<BlobRef, never>(
  (p) => sql`
  insert into ${unused_blobs} (team_id, key, delete_at)
  values (${p.team_id}, ${p.key}, now() + ${UPLOAD_TIME})
      on conflict (team_id, key) do update set delete_at = excluded.delete_at`,
)

/**
 * Notes a blob before it is stored, so that it is deleted should nothing come to refer to it, as when the process dies. The key is
 * the caller's alone. Calling it again is safe.
 */
export async function announceBlob(tx: Tx, blob: BlobRef): Promise<void> {
  await announce(tx, blob)
}

const discard = statement<BlobRef, never>(
  (p) => sql`
  insert into ${unused_blobs} (team_id, key)
  values (${p.team_id}, ${p.key})
  on conflict (team_id, key) do update set delete_at = now()`,
)

/** Lets a job delete a blob, once the transaction that removes the last reference to it is committed. */
export async function discardBlob(tx: Tx, blob: BlobRef): Promise<void> {
  await discard(tx, blob)
  await enqueue(tx, 'blobs', {})
}

const abandon = statement<BlobRef, { key: string }>(
  (p) => sql`
  update ${unused_blobs}
     set delete_at = clock_timestamp()
   where ${isBlob(p)}
  returning key`,
)

/**
 * Lets a job delete an announced blob soon, unless something has come to refer to it. Unlike `discardBlob`, it is safe when it is
 * not known whether the statement that refers to the blob was committed.
 */
export async function abandonBlob(tx: Tx, blob: BlobRef): Promise<void> {
  if ((await abandon(tx, blob)).length > 0) await enqueue(tx, 'blobs', {})
}

const listDue = statement<{ max: number; skip: number }, BlobRef>(
  (p) => sql`
  select team_id, key
    from ${unused_blobs}
   where delete_at <= now()
   order by delete_at, team_id, key
  offset ${p.skip}
   limit ${p.max}`,
)

/** Lists blobs that are to be deleted, without the first ones. */
export async function listUnusedBlobs(tx: Tx, { max, skip }: { max: number; skip: number }): Promise<BlobRef[]> {
  return listDue(tx, { max, skip })
}

const forget = statement<BlobRef, never>(
  (p) => sql`
  delete from ${unused_blobs}
   where ${isBlob(p)}`,
)

/** Forgets a blob that was deleted. */
export async function forgetBlob(tx: Tx, blob: BlobRef): Promise<void> {
  await forget(tx, blob)
}
