import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { plans } from '@earshot/contracts'
import {
  abandonBlob,
  announceBlob,
  type Database,
  failTranscode,
  finishTranscode,
  handBackTranscode,
  renewTranscode,
  type Transcode,
} from '@earshot/db'
import { type BlobStore, BlobStoreError, type TranscodedClip, TranscodeError, type Transcoder } from '@earshot/drivers'
import type { Log } from '../log.ts'
import { fetchOriginal } from './original.ts'
import { hasSpace, makeWorkFolder } from './work-folder.ts'

const RENEW_MS = 5_000
/** How long the end of a transcode waits for a database that is away; the fence decides what is still good. */
const END_TRIES = 60
const END_PAUSE_MS = 1_000
/** The largest clip is a little smaller than this for each second. */
const CLIP_BYTES_PER_SECOND = 600_000

export interface TranscodeOptions {
  database: Database
  blobStore: BlobStore
  log: Log
  /** Where files are while they are worked on. */
  folder: string
  keepOriginalsDays: number
}

/** How a transcode ended. `postponed`: what it needs is not there, such as space or the store; wait before the next one. */
export type TranscodeEnd = 'done' | 'postponed'

/** Transcodes a video that was claimed, and records how that ended. Nothing is recorded once another attempt holds the video. */
export async function runTranscode(
  video: Transcode,
  { transcoder, stopping, ...options }: TranscodeOptions & { transcoder: Transcoder; stopping: AbortSignal },
): Promise<TranscodeEnd> {
  const { database, log } = options
  const lost = new AbortController()
  const signal = AbortSignal.any([stopping, lost.signal])
  let progress = 0
  const renewing = setInterval(async () => {
    // Without the database, the lease runs out; the fence decides then.
    const isOurs = await renewTranscode(database, video, progress).catch(() => true)
    if (!isOurs) lost.abort()
  }, RENEW_MS)
  const folder = await makeWorkFolder(options.folder)
  try {
    const onProgress = (share: number) => {
      progress = share
    }
    await transcodeIn(folder, video, { ...options, transcoder, signal, onProgress })
    return 'done'
  } catch (error) {
    if (lost.signal.aborted) return 'done'
    return await recordFailure(error, video, { database, log, isStopping: stopping.aborted })
  } finally {
    clearInterval(renewing)
    await rm(folder, { recursive: true, force: true })
  }
}

class NoSpaceError extends Error {}

interface Work extends TranscodeOptions {
  transcoder: Transcoder
  signal: AbortSignal
  onProgress: (share: number) => void
}

async function transcodeIn(folder: string, video: Transcode, work: Work): Promise<void> {
  const { database, blobStore, transcoder, signal, onProgress, keepOriginalsDays } = work
  const { maxSeconds } = plans[video.plan].video
  if (!(await hasSpace(folder, video.size_bytes + maxSeconds * CLIP_BYTES_PER_SECOND))) throw new NoSpaceError('The disk is full')
  const inputPath = join(folder, 'original')
  const outputs = join(folder, 'outputs')
  await mkdir(outputs)
  await fetchOriginal({ database, blobStore, ref: video, path: inputPath, signal })
  const clip = await transcoder.transcode({ inputPath, folder: outputs, maxSeconds, onProgress, signal })
  const keys = keysOf(video)
  let isUsed = false
  try {
    const files = await storeFiles(video, clip, { ...work, keys })
    isUsed = await insist(() => finishTranscode(database, video, files, { keepDays: keepOriginalsDays }))
  } finally {
    if (!isUsed) await abandon(video, keys, database)
  }
}

/** Of an attempt that came too late, of a video that was deleted, or of a store that failed. Else they would be kept for a day. */
async function abandon({ team_id }: Transcode, keys: ReturnType<typeof keysOf>, database: Database): Promise<void> {
  for (const key of Object.values(keys)) await abandonBlob(database, { team_id, key }).catch(() => {})
}

/** A key is never used twice, even where a database was restored and counts its attempts again. */
function keysOf({ team_id, video_id, attempt }: Transcode) {
  const folder = `videos/${team_id}/${video_id}/${attempt}-${randomUUID()}`
  return { clip_key: `${folder}/clip.mp4`, poster_key: `${folder}/poster.jpg` }
}

async function storeFiles(
  { team_id }: Transcode,
  clip: TranscodedClip,
  { database, blobStore, signal, keys }: Work & { keys: ReturnType<typeof keysOf> },
) {
  const put = async (key: string, path: string, sizeBytes: number) => {
    await announceBlob(database, { team_id, key })
    await blobStore.put(key, createReadStream(path), { sizeBytes, signal })
  }
  const { clip_key, poster_key } = keys
  await put(clip_key, clip.clipPath, clip.clipBytes)
  await put(poster_key, clip.posterPath, clip.posterBytes)
  const { durationMs: duration_ms, width, height, clipBytes: clip_bytes, posterBytes: poster_bytes } = clip
  return { clip_key, clip_bytes, poster_key, poster_bytes, duration_ms, width, height }
}

interface Failure {
  database: Database
  log: Log
  isStopping: boolean
}

async function recordFailure(error: unknown, video: Transcode, { database, log, isStopping }: Failure): Promise<TranscodeEnd> {
  const { team_id, video_id, attempt } = video
  const facts = { err: error, team_id, video_id, attempt }
  if (error instanceof TranscodeError && isFileFault(error)) {
    log.info(facts, 'A video cannot be transcoded')
    const { code, message: detail } = error
    await insist(() => failTranscode(database, video, { code, detail }))
    return 'done'
  }
  const isMissing = error instanceof BlobStoreError || error instanceof NoSpaceError
  if (!isStopping) log.warn(facts, isMissing ? 'A transcode waits' : 'A transcode failed')
  await insist(() => handBackTranscode(database, video, { isFailure: !isStopping && !isMissing }))
  return isMissing ? 'postponed' : 'done'
}

type FileFaultError = TranscodeError & { code: Exclude<TranscodeError['code'], 'failed' | 'out_of_memory' | 'closed'> }

function isFileFault(error: TranscodeError): error is FileFaultError {
  return error.isFinal
}

/** Repeats a write until the database takes it. Each write is fenced, so a second one does nothing. */
async function insist<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write()
    } catch (error) {
      if (tries === END_TRIES) throw error
      await delay(END_PAUSE_MS)
    }
  }
}
