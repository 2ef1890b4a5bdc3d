import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { plans } from '@earshot/contracts'
import { abandonBlob, announceBlob, type Database, finishTranscode, listParts, type Transcode } from '@earshot/db'
import type { BlobStore, TranscodedClip, Transcoder } from '@earshot/drivers'
import type { Log } from '../log.ts'
import { insist, NoSpaceError, recordFailure, type TranscodeOutcome } from './failure.ts'
import { fetchOriginal } from './original.ts'
import { type Renewal, startRenewal } from './renewal.ts'
import { hasSpace, makeWorkFolder } from './work-folder.ts'

/** The largest clip is a little smaller than this for each second. */
const CLIP_BYTES_PER_SECOND = 600_000

export interface TranscodeOptions {
  database: Database
  blobStore: BlobStore
  log: Log
  /** Where files are while they are worked on. */
  folder: string
  keepOriginalsDays: number
  /** How often the lease of a video is renewed while it is transcoded; every five seconds unless given. */
  renewMs?: number
}

interface Run extends TranscodeOptions {
  transcoder: Transcoder
  stopping: AbortSignal
  /** The pause after the first failure; later ones are longer. */
  retryMs: number
}

/** Transcodes a video that was claimed, and records how that ended. Nothing is recorded once another attempt holds the video. */
export async function runTranscode(video: Transcode, run: Run): Promise<TranscodeOutcome> {
  const { database, log, stopping, retryMs } = run
  const renewal = startRenewal(database, video, run.renewMs)
  const signal = AbortSignal.any([stopping, renewal.lost])
  try {
    renewal.folder = await makeWorkFolder(run.folder)
    const isUsed = await transcodeIn(renewal.folder, video, { ...run, signal, renewal })
    return isUsed ? 'ready' : 'lost'
  } catch (error) {
    if (renewal.lost.aborted) return 'lost'
    return await recordFailure(error, video, { database, log, folder: renewal.folder, stopping, retryMs })
  } finally {
    renewal.stop()
    if (renewal.folder !== null) {
      const failed = (err: unknown) => log.warn({ err }, 'A folder of a transcode was not removed; a worker removes it later')
      await rm(renewal.folder, { recursive: true, force: true }).catch(failed)
    }
  }
}

interface Work extends Run {
  signal: AbortSignal
  renewal: Renewal
}

/** Returns false when the clip came too late. */
async function transcodeIn(folder: string, video: Transcode, work: Work): Promise<boolean> {
  const { database, blobStore, transcoder, signal, stopping, renewal } = work
  const { maxSeconds } = plans[video.plan].video
  if (!(await hasSpace(folder, video.size_bytes + maxSeconds * CLIP_BYTES_PER_SECOND))) throw new NoSpaceError('The disk is full')
  const inputPath = join(folder, 'original')
  const outputs = join(folder, 'outputs')
  await mkdir(outputs)
  const parts = await insist(() => listParts(database, video), stopping)
  await fetchOriginal({ blobStore, parts, sizeBytes: video.size_bytes, path: inputPath, signal })
  const onProgress = (share: number) => {
    renewal.progress = share
  }
  const clip = await transcoder.transcode({ inputPath, folder: outputs, maxSeconds, onProgress, signal })
  return storeClip(video, clip, work)
}

/** Stores the files of a clip and makes the video ready with them. What is not used is abandoned. */
async function storeClip(video: Transcode, clip: TranscodedClip, work: Work): Promise<boolean> {
  const { team_id, video_id, attempt } = video
  const { database, blobStore, signal, stopping, keepOriginalsDays } = work
  const announced: string[] = []
  // A key is never used twice, even where a database was restored and counts its attempts again.
  const folder = `videos/${team_id}/${video_id}/${attempt}-${randomUUID()}`
  const put = async (name: string, path: string, sizeBytes: number) => {
    const key = `${folder}/${name}`
    announced.push(key)
    await insist(() => announceBlob(database, { team_id, key }), stopping)
    await blobStore.put(key, createReadStream(path), { sizeBytes, signal })
    return key
  }
  let isUsed = false
  try {
    const clip_key = await put('clip.mp4', clip.clipPath, clip.clipBytes)
    const poster_key = await put('poster.jpg', clip.posterPath, clip.posterBytes)
    const { durationMs: duration_ms, width, height, clipBytes: clip_bytes, posterBytes: poster_bytes } = clip
    const files = { clip_key, clip_bytes, poster_key, poster_bytes, duration_ms, width, height }
    isUsed = await insist(() => finishTranscode(database, video, files, { keepDays: keepOriginalsDays }), stopping)
    return isUsed
  } finally {
    // Those of a commit whose answer was lost are announced no more, and stay. Without the database, all are deleted in a day.
    if (!isUsed) for (const key of announced) await abandonBlob(database, { team_id, key }).catch(() => {})
  }
}
