import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '@earshot/contracts'
import { type Database, failTranscode, handBackTranscode, type Transcode } from '@earshot/db'
import { BlobStoreError, TranscodeError } from '@earshot/drivers'
import type { Log } from '../log.ts'
import { hasSpace } from './work-folder.ts'

const PAUSE_MS = 1_000
/** How often a worker that stops tries to write the end; then the lease runs out. */
const STOP_TRIES = 3
const NO_SPACE = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE'])

/** The disk has no room for a transcode. */
export class NoSpaceError extends Error {}

/**
 * How a transcode ended: `ready`; `refused` for its file; `failed` for our reasons; `postponed` while space, the store or the
 * database is missing, or because somebody ended its process; `handed_back` by a worker that stops; `lost` to another attempt, or deleted.
 */
export type TranscodeOutcome = 'ready' | 'refused' | 'failed' | 'postponed' | 'handed_back' | 'lost'

interface Failure {
  database: Database
  log: Log
  /** The folder of the work; null if it could not be made. */
  folder: string | null
  stopping: AbortSignal
  /** The pause after the first failure. */
  retryMs: number
}

/** Records why a transcode ended without a clip. */
export async function recordFailure(error: unknown, video: Transcode, failure: Failure): Promise<TranscodeOutcome> {
  const { database, log, stopping, retryMs } = failure
  const { team_id, project_id, video_id, attempt } = video
  const facts = { err: error, team_id, project_id, video_id, attempt }
  if (error instanceof TranscodeError && isFileFault(error)) {
    log.info(facts, 'A video cannot be transcoded')
    const { code, message: detail } = error
    const isRecorded = await insist(() => failTranscode(database, video, { code, detail }), stopping)
    return isRecorded ? 'refused' : 'lost'
  }
  const outcome = await judge(error, failure)
  if (outcome === 'postponed') log.warn(facts, 'A transcode was postponed')
  if (outcome === 'failed') log.error(facts, 'A transcode failed')
  await insist(() => handBackTranscode(database, video, { isFailure: outcome === 'failed', retryMs }), stopping)
  return outcome
}

async function judge(error: unknown, { folder, stopping }: Failure): Promise<'handed_back' | 'postponed' | 'failed'> {
  if (stopping.aborted) return 'handed_back'
  return (await lacksSomething(error, folder)) ? 'postponed' : 'failed'
}

/** Repeats a fenced write until the database is there. A second one does nothing: it finds the row as the first one left it. */
export async function insist<Result>(write: () => Promise<Result>, stopping: AbortSignal): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write()
    } catch (error) {
      if (!isDatabaseAway(error) || (stopping.aborted && tries >= STOP_TRIES)) throw error
      await delay(PAUSE_MS)
    }
  }
}

type FileFaultError = TranscodeError & { code: Exclude<TranscodeError['code'], 'failed' | 'out_of_memory' | 'closed'> }

function isFileFault(error: TranscodeError): error is FileFaultError {
  return error.isFinal
}

/**
 * Whether the attempt is repeated without counting it. One that was ended from outside is: its worker may stop next. Transcoders do not
 * say that the disk is full, so the disk is asked.
 */
async function lacksSomething(error: unknown, folder: string | null): Promise<boolean> {
  if (error instanceof BlobStoreError || error instanceof NoSpaceError || isDatabaseAway(error)) return true
  if (error instanceof TranscodeError && error.code === 'closed') return true
  if (error instanceof Error && 'code' in error && NO_SPACE.has(error.code)) return true
  return folder !== null && !(await hasSpace(folder, 0).catch(() => true))
}

function isDatabaseAway(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'dependency_unavailable'
}
