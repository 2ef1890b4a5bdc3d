import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '@earshot/db'
import type { TranscodedClip, Transcoder } from '@earshot/drivers'
import type { Team } from './people.ts'

type Request = Parameters<Transcoder['transcode']>[0]
type Convert = (request: Request, number: number) => Promise<void>

/** A transcoder of the tests' own, for what does not depend on the clip. */
export interface TestTranscoder {
  /** What a worker gets as `find`. */
  find: () => Promise<{ transcoder: Transcoder }>
  /** What it was asked for, in order. */
  requests: Request[]
}

/** Makes a transcoder that does what a test says, with the number of the request, and then writes a small clip. */
export function createTestTranscoder(convert: Convert = async () => {}): TestTranscoder {
  const requests: Request[] = []
  const transcode = async (request: Request) => {
    requests.push(request)
    await convert(request, requests.length)
    request.signal?.throwIfAborted()
    return writeClip(request)
  }
  return { requests, find: async () => ({ transcoder: { name: 'of the tests', transcode, close: async () => {} } }) }
}

async function writeClip({ folder }: Request): Promise<TranscodedClip> {
  const [clipPath, posterPath] = [join(folder, 'clip.mp4'), join(folder, 'poster.jpg')]
  await writeFile(clipPath, 'the clip')
  await writeFile(posterPath, 'poster')
  return { durationMs: 1000, width: 320, height: 180, clipPath, clipBytes: 8, posterPath, posterBytes: 6 }
}

/** Waits until a signal is aborted, and throws its reason. */
export async function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return promise
}

/** Adds videos of a team that wait for their transcode, an hour old, without bytes. Returns their ids, oldest first. */
export async function addWaitingVideos(database: Database, { project }: Team, count = 1): Promise<string[]> {
  const rows = await database.run<{ id: string }>(
    `insert into videos (team_id, project_id, state, channel, file_name, content_type, size_bytes, max_bytes, offset_bytes, token_hash, upload_until, uploaded_at)
     select $1, $2, 'uploaded', 'api', 'clip.webm', 'video/webm', 9, 9, 9, decode($3, 'hex') || int4send(n), now() + interval '1 day',
            now() - interval '1 hour' + n * interval '1 second'
       from generate_series(1, $4::int) n
     returning id, uploaded_at`,
    [project.team_id, project.project_id, randomBytes(28).toString('hex'), count],
  )
  return rows.map(({ id }) => id)
}

export interface TranscodeFacts {
  state: string
  attempt: number
  failed_attempts: number
  is_leased: boolean
}

/** Reads what the API does not show of a transcode. */
export async function transcodeFacts(database: Database, { video_id }: { video_id: string }): Promise<TranscodeFacts | undefined> {
  const [row] = await database.run<TranscodeFacts>(
    'select state, attempt, failed_attempts, leased_until is not null as is_leased from videos where id = $1',
    [video_id],
  )
  return row
}

/** Counts the events of a type that a team has. */
export async function countEvents(database: Database, team: Team, type: string): Promise<number> {
  return (await database.run('select from events where team_id = $1 and type = $2', [team.id, type])).length
}
