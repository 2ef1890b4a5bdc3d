import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createClient } from '@earshot/contracts/client'
import type { Team } from '../teams.ts'

const CHUNK = Buffer.alloc(65_536, 7)
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** Where one file is sent. */
interface Target {
  url: string
  headers: Record<string, string>
}

/** Makes a place for a file of so many bytes. */
export type Reserve = (bytes: number) => Promise<Target>

export function pipeTo(url: string): Reserve {
  return async () => ({ url, headers: {} })
}

export function stockTus(url: string): Reserve {
  return async (bytes) => {
    const created = await fetch(url, { method: 'POST', headers: { 'tus-resumable': '1.0.0', 'upload-length': String(bytes) } })
    return { url: new URL(created.headers.get('location') ?? '', url).href, headers: { 'tus-resumable': '1.0.0', 'upload-offset': '0' } }
  }
}

export function earshot(url: string, { id: team_id, project_id, token }: Team): Reserve {
  const client = createClient({ baseUrl: url, token })
  return async (bytes) => {
    const file = { file_name: 'clip.webm', content_type: 'video/webm', size_bytes: bytes }
    const { upload } = await client.videos.reserve({ team_id, project_id, ...file })
    const headers = { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'x-upload-token': upload.token }
    return { url: url + new URL(upload.url).pathname, headers }
  }
}

/** Sends so many files at the same time; returns the seconds that it took, without the reservations. */
export async function sendFiles(reserve: Reserve, { files, bytes }: { files: number; bytes: number }): Promise<number> {
  const targets = await Promise.all(Array.from({ length: files }, () => reserve(bytes)))
  const startedMs = performance.now()
  await Promise.all(targets.map((target) => send(target, bytes)))
  return (performance.now() - startedMs) / 1000
}

async function send({ url, headers }: Target, bytes: number): Promise<void> {
  const outgoing = request(url, {
    ...{ method: 'PATCH', agent },
    headers: { 'content-type': 'application/offset+octet-stream', 'content-length': bytes, ...headers },
  })
  const answered = once(outgoing, 'response')
  await pipeline(Readable.from(chunks(bytes), { objectMode: false }), outgoing)
  const [response] = await answered
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 204) throw new Error(`${url} answered ${response.statusCode}.`)
}

function* chunks(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= CHUNK.length) yield left >= CHUNK.length ? CHUNK : CHUNK.subarray(0, left)
}
