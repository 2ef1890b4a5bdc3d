import { claimTranscode, hasWaitingVideos, noteNoTranscoder, type Transcode } from '@earshot/db'
import { findTranscoder, settleWithin, type Transcoder } from '@earshot/drivers'
import { Registry } from 'prom-client'
import { startLoop } from '../dispatcher/loop.ts'
import { createTranscodingMetrics } from './metrics.ts'
import { createSweeper } from './sweep.ts'
import { runTranscode, type TranscodeOptions } from './transcode.ts'
import { removeDeadFolders } from './work-folder.ts'

const POLL_MS = 1_000
const SWEEP_MS = 10_000
const CLEAN_MS = 60_000
/** After a transcode that could not begin, and where there is no transcoder. */
const WAIT_MS = 60_000
const RETRY_MS = 30_000

export interface TranscodingOptions extends TranscodeOptions {
  /** How many videos this worker transcodes at the same time. */
  concurrency: number
  /** How long to wait after a transcode that lacked space or the store, and for a transcoder; a minute unless given. */
  waitMs?: number
  /** The pause after the first failure for our reasons, twice that after the second; 30 seconds unless given. */
  retryMs?: number
  /** How often it looks for videos that wait; each second unless given. */
  pollMs?: number
  /** How often it looks for videos of workers that died; ten seconds unless given. */
  sweepMs?: number
  /** Looks for the transcoder of this machine. */
  find?: () => Promise<{ transcoder: Transcoder } | { missing: string }>
  registry?: Registry
}

export interface Transcoding {
  /** Videos wait. */
  nudge: () => void
  /** Ends the transcodes that run, and hands back their videos. Without the database, their leases run out. */
  stop: (limits: { timeoutMs: number }) => Promise<void>
}

/**
 * Transcodes videos as their turn comes: that of the team that was served longest ago. A worker claims one when it has room for it,
 * and holds it by a lease. The transcoder is looked for when the first video waits.
 */
export function startTranscoding(options: TranscodingOptions): Transcoding {
  const { concurrency, waitMs = WAIT_MS, retryMs = RETRY_MS, registry = new Registry(), database, log } = options
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const metrics = createTranscodingMetrics(registry)
  const sweeper = createSweeper(database, { sweepMs: options.sweepMs ?? SWEEP_MS, log })
  const requireTranscoder = seekTranscoder(options)
  const clean = createCleaner(options)
  let transcoder: Transcoder | null = null
  let waitUntil = 0

  async function run(video: Transcode, transcoder: Transcoder): Promise<void> {
    const end = metrics.seconds.startTimer()
    metrics.running.inc()
    try {
      const outcome = await runTranscode(video, { ...options, transcoder, stopping: stopping.signal, retryMs })
      metrics.finished.inc({ outcome })
      if (outcome === 'postponed') waitUntil = performance.now() + waitMs
    } catch (error) {
      log.error({ err: error }, 'The end of a transcode was not recorded; another attempt will follow')
    } finally {
      metrics.running.dec()
      end()
    }
  }

  /** Returns whether it began a transcode. */
  async function beginNext(): Promise<boolean> {
    if (performance.now() < waitUntil || running.size >= concurrency || !(await hasWaitingVideos(database))) return false
    transcoder ??= await requireTranscoder()
    if (stopping.signal.aborted) return false
    if (!transcoder) {
      waitUntil = performance.now() + waitMs
      return false
    }
    const video = await claimTranscode(database)
    if (!video) return false
    const ended = run(video, transcoder).finally(() => {
      running.delete(ended)
      loop.nudge()
    })
    running.add(ended)
    return true
  }

  async function work(): Promise<number> {
    try {
      await sweeper.sweep()
      await clean()
      return (await beginNext()) ? 0 : (options.pollMs ?? POLL_MS)
    } catch (error) {
      sweeper.forget()
      throw error
    }
  }

  const loop = startLoop({ name: 'Transcoding videos', work, log })

  async function end(): Promise<void> {
    await loop.stop()
    await Promise.all(running)
  }

  return {
    nudge: loop.nudge,
    async stop({ timeoutMs }) {
      stopping.abort()
      await settleWithin(timeoutMs, end(), null)
      await transcoder?.close()
    },
  }
}

/** Returns a function that removes the folders of dead workers when it is time. */
function createCleaner({ folder, log }: TranscodingOptions): () => Promise<void> {
  let cleanAt = 0
  return async () => {
    if (performance.now() < cleanAt) return
    cleanAt = performance.now() + CLEAN_MS
    await removeDeadFolders(folder).catch((err: unknown) => log.warn({ err }, 'Folders of dead transcodes were not removed'))
  }
}

/** Returns a function that looks for a transcoder. That there is none is logged once, and noted with the videos that wait. */
function seekTranscoder({ find = findTranscoder, database, log }: TranscodingOptions): () => Promise<Transcoder | null> {
  let isMissing = false
  return async () => {
    const found = await find()
    if ('transcoder' in found) {
      log.info({ transcoder: found.transcoder.name }, 'Transcoding videos')
      return found.transcoder
    }
    if (!isMissing) log.error({ missing: found.missing }, 'Videos are waiting, but this machine has no transcoder')
    isMissing = true
    await noteNoTranscoder(database, 'This service has no worker that can transcode videos. Operators: run `npm run admin -- doctor`.')
    return null
  }
}
