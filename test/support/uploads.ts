import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Database } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'

export interface ReservedUpload {
  id: string
  token: string
  ref: { team_id: string; project_id: string; video_id: string }
  path: string
}

interface Reservation {
  /** Null for a length that is not known yet. */
  size: number | null
  maxBytes?: number
  /** How long it can be uploaded, as an interval. */
  until?: string
}

/** Reserves an upload by SQL. */
export async function reserveUpload(
  database: Database,
  project: { team_id: string; project_id: string },
  { size, maxBytes = 100_000_000, until = '1 hour' }: Reservation,
): Promise<ReservedUpload> {
  const token = randomBytes(32).toString('base64url')
  const [row] = await database.run<{ id: string }>(
    `insert into videos (team_id, project_id, channel, file_name, content_type, size_bytes, max_bytes, token_hash, upload_until)
     values ($1, $2, 'public', 'clip.webm', 'video/webm', $3, $4, $5, now() + $6::interval)
     returning id`,
    [project.team_id, project.project_id, size, size ?? maxBytes, tokenHashOf(token), until],
  )
  const id = row?.id ?? ''
  return { id, token, ref: { ...project, video_id: id }, path: `/api/public/v1/uploads/${id}/` }
}

interface Snapshot {
  offset: number
  parts: { first_byte: number; size_bytes: number; key: string }[]
}

/** Reads what has arrived of a file, and checks that its parts reach from the first byte up to the offset. */
export async function storedBytes(database: Database, store: BlobStore, { ref }: ReservedUpload): Promise<Buffer> {
  const [snapshot] = await database.run<Snapshot>(
    `select v.offset_bytes as offset,
            (select coalesce(json_agg(p order by p.first_byte), '[]') from video_parts p where p.video_id = v.id) as parts
       from videos v
      where v.id = $1`,
    [ref.video_id],
  )
  const chunks: Buffer[] = []
  let end = 0
  for (const { first_byte, size_bytes, key } of snapshot?.parts ?? []) {
    if (first_byte !== end) throw new Error(`A part begins at ${first_byte} instead of ${end}.`)
    const blob = await store.get(key)
    if (blob?.sizeBytes !== size_bytes) throw new Error(`The blob of a part has ${blob?.sizeBytes} bytes instead of ${size_bytes}.`)
    chunks.push(await buffer(blob.bytes))
    end += size_bytes
  }
  if (snapshot?.offset !== end) throw new Error(`The offset is ${snapshot?.offset}, and the parts end at ${end}.`)
  return Buffer.concat(chunks)
}

/** Returns the offset in the ledger. */
export async function offsetOf(database: Database, { video_id }: { video_id: string }): Promise<number | undefined> {
  const [row] = await database.run<{ offset_bytes: number }>('select offset_bytes from videos where id = $1', [video_id])
  return row?.offset_bytes
}

/** Headers of every request of tus. */
export function tusHeaders({ token }: { token: string }, rest: Record<string, string> = {}): Record<string, string> {
  return { 'tus-resumable': '1.0.0', 'x-upload-token': token, ...rest }
}

/** Sends bytes from an offset. */
export function patch(
  { url, upload }: { url: string; upload: ReservedUpload },
  offset: number,
  body: Uint8Array | ReadableStream | string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const own = { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset), ...headers }
  return fetch(url + upload.path, { method: 'PATCH', headers: tusHeaders(upload, own), body, duplex: 'half' } as RequestInit)
}

/** Asks for the offset. */
export async function head(url: string, upload: ReservedUpload): Promise<Response> {
  return fetch(url + upload.path, { method: 'HEAD', headers: tusHeaders(upload) })
}

/** What the database knows of a token. */
export function tokenHashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
