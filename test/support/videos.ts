import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { announceBlob, claimTranscode, finishTranscode } from '@earshot/db'
import type { Team } from './people.ts'
import type { TestService } from './test-service.ts'
import { until } from './until.ts'

const MAKE_SHELF = fileURLToPath(new URL('../drivers/transcoder/make-shelf.ts', import.meta.url))
const CLIP = 'recorded.webm'

/** A service in this process or in one of its own. */
type Service = Pick<TestService, 'url' | 'client'>

let made: Promise<Buffer> | undefined

/** Returns a small recording, made once for each test file. */
export function recording(): Promise<Buffer> {
  made ??= make()
  return made
}

async function make(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'earshot-recording-'))
  try {
    await promisify(execFile)(process.execPath, [MAKE_SHELF, folder, CLIP])
    return await readFile(join(folder, CLIP))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Uploads a file to a reservation, in one request of tus. */
export async function uploadTo(service: Service, { id, token }: { id: string; token: string }, bytes: Uint8Array): Promise<Response> {
  const headers = {
    'tus-resumable': '1.0.0',
    'x-upload-token': token,
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  }
  return fetch(`${service.url}/api/v1/uploads/${id}/`, { method: 'PATCH', headers, body: bytes as Uint8Array<ArrayBuffer> })
}

/** Reserves, uploads and completes a video, as a member. Returns its reference. */
export async function uploadVideo(
  service: Service,
  team: Team,
  bytes: Uint8Array,
  { draft = {}, fileName = 'clip.webm' }: { draft?: object | undefined; fileName?: string | undefined } = {},
) {
  const client = service.client(team.token)
  const file = { file_name: fileName, content_type: 'video/webm', size_bytes: bytes.length }
  const { video, upload } = await client.videos.reserve({ ...team.project, ...file, draft })
  await uploadTo(service, { id: video.id, token: upload.token }, bytes)
  const ref = { ...team.project, video_id: video.id }
  await client.videos.complete(ref)
  return ref
}

/** What a video becomes in a test that needs no transcoder. */
export interface MadeFiles {
  fileName?: string
  draft?: object
  clip: Buffer
  poster?: Buffer | undefined
}

/** Uploads a video and makes it ready with the files that are given, as a worker does after the transcode. */
export async function makeReadyVideo(service: TestService, team: Team, { draft, fileName, ...files }: MadeFiles) {
  const ref = await uploadVideo(service, team, Buffer.from('an original'), { draft, fileName })
  await finishVideo(service, ref, files)
  return ref
}

const JPEG = Buffer.from('a poster')

/** Makes the video that waits for its transcode ready, as a worker does. */
export async function finishVideo(
  { database, blobStore }: TestService,
  { video_id }: { video_id: string },
  { clip, poster = JPEG }: Pick<MadeFiles, 'clip' | 'poster'>,
) {
  const held = await claimTranscode(database)
  if (held?.video_id !== video_id) throw new Error('Another video waits for its transcode')
  const put = async (name: string, bytes: Buffer) => {
    const key = `videos/${held.team_id}/${video_id}/${held.attempt}/${name}`
    await announceBlob(database, { team_id: held.team_id, key })
    await blobStore.put(key, Readable.from([bytes]), { sizeBytes: bytes.length })
    return key
  }
  const made = {
    ...{ clip_key: await put('clip.mp4', clip), clip_bytes: clip.length },
    ...{ poster_key: await put('poster.jpg', poster), poster_bytes: poster.length },
    ...{ duration_ms: 2_000, width: 1280, height: 720 },
  }
  if (!(await finishTranscode(database, held, made, { keepDays: 30 }))) throw new Error('Another attempt holds the video')
}

/** Waits until a video is in a state. Throws with the video as it was last, before a test ends that may take a minute. */
export async function untilState(service: Service, team: Team, ref: Awaited<ReturnType<typeof uploadVideo>>, state: string) {
  const client = service.client(team.token)
  let video = await client.videos.retrieve(ref)
  const isThere = async () => {
    video = await client.videos.retrieve(ref)
    return video.state === state
  }
  await until(`the video is ${state}`, isThere, 50_000).catch((error: unknown) => {
    throw new Error(`${error}, which is ${JSON.stringify(video)}`)
  })
  return video
}

/** Returns a signed address of the tests' own service. */
export function here(service: Service, url: string | null): string {
  const { pathname, search } = new URL(url ?? '')
  return service.url + pathname + search
}
