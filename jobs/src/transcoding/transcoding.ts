import { claimTranscode, hasWaitingVideos, noteNoTranscoder, sweepTranscodes } from '@earshot/db'
import { findTranscoder, type Transcoder } from '@earshot/drivers'
import { startLoop } from '../dispatcher/loop.ts'
import { runTranscode, type TranscodeOptions } from './transcode.ts'
import { removeDeadFolders } from './work-folder.ts'

const POLL_MS = 1_000
const SWEEP_MS = 10_000
/** After a transcode that could not begin, and where there is no transcoder. */
const WAIT_MS = 60_000

export interface TranscodingOptions extends TranscodeOptions {
  /** How many videos this worker transcodes at the same time. */
  concurrency: number
  /** How long to wait after a transcode that lacked space or the store; a minute unless given. */
  waitMs?: number
  /** Looks for the transcoder of this machine; for tests. */
  find?: typeof findTranscoder
}

export interface Transcoding {
  isHealthy: () => boolean
  /** Ends the transcodes that run, and hands back their videos. */
  stop: () => Promise<void>
}

/**
 * Transcodes videos as their turn comes: that of the team that was served longest ago. A worker claims one when it has room for it,
 * and holds it by a lease. The transcoder is looked for when the first video waits.
 */
export function startTranscoding({ concurrency, waitMs = WAIT_MS, find = findTranscoder, ...options }: TranscodingOptions): Transcoding {
  const { database, log } = options
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let transcoder: Transcoder | null = null
  let sweepAt = 0
  let waitUntil = 0

  async function requireTranscoder(): Promise<Transcoder | null> {
    if (transcoder) return transcoder
    await removeDeadFolders(options.folder)
    const found = await find()
    if ('missing' in found) {
      log.error({ missing: found.missing }, 'Videos wait, and this machine has nothing to transcode them with')
      await noteNoTranscoder(database, 'No worker of this service can transcode videos. The operator can: npm run admin -- doctor')
      return null
    }
    transcoder = found.transcoder
    log.info({ transcoder: transcoder.name }, 'Transcoding videos')
    return transcoder
  }

  function start(work: Promise<'done' | 'postponed'>): void {
    const run = work
      .then((end) => {
        if (end === 'postponed') waitUntil = performance.now() + waitMs
      })
      .catch((error: unknown) => log.error({ err: error }, 'The end of a transcode was not recorded; its video comes back'))
      .finally(() => {
        running.delete(run)
        loop.nudge()
      })
    running.add(run)
  }

  async function sweep(): Promise<void> {
    if (performance.now() < sweepAt) return
    sweepAt = performance.now() + SWEEP_MS
    const count = await sweepTranscodes(database)
    if (count > 0) log.warn({ count }, 'Took back videos of workers that died')
  }

  async function work(): Promise<number> {
    await sweep()
    if (performance.now() < waitUntil || running.size >= concurrency) return POLL_MS
    if (!(await hasWaitingVideos(database))) return POLL_MS
    const found = await requireTranscoder()
    if (!found) return waitMs
    const video = stopping.signal.aborted ? null : await claimTranscode(database)
    if (!video) return POLL_MS
    start(runTranscode(video, { ...options, transcoder: found, stopping: stopping.signal }))
    return 0
  }

  const loop = startLoop({ name: 'Transcoding videos', work, log })
  return {
    isHealthy: loop.isHealthy,
    async stop() {
      stopping.abort()
      await loop.stop()
      await Promise.all(running)
      await transcoder?.close()
    },
  }
}
