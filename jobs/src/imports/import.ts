import { setTimeout as delay } from 'node:timers/promises'
import { ApiError, type ImportFailure } from '@earshot/contracts'
import { failImport, findRunningImport, type ImportRef, readOnLater, restartDryRun, SeenKeys } from '@earshot/db'
import { BlobStoreError } from '@earshot/drivers'
import { type TaskContext, task } from '../task.ts'
import { MissingFileError, openFile } from './file.ts'
import { readOn } from './read-on.ts'
import { noteRecognition } from './recognition.ts'
import type { Outcome, Turn } from './turn.ts'
import { UnreadableFileError } from './unreadable-file.ts'

/** After this time an import lets those of other teams take their turn. */
const TURN_MS = 10_000
const FIRST_RETRY_MS = 250
const MAX_RETRY_MS = 15_000
/** How long a file that the blob store does not hand out is waited for. */
const FILE_WAIT_MS = 10 * 60_000

/**
 * Reads the file of an import into records, a batch at a time. Another worker at the same import, as after a pause, is no
 * harm: each batch is stored once, and whoever comes second reads on behind it. The job does not end before the import does, or
 * leaves another one behind: the queue would delete it from under the worker that it is given to next.
 */
export const importRows = task('import', async (ref, context, { signal }) => {
  const turn = { signal, endMs: performance.now() + TURN_MS }
  let outcome = await readSafely(ref, context, turn)
  while (outcome === 'overtaken') outcome = await readSafely(ref, context, turn)
  if (outcome === 'paused') await readOnLater(context.database, ref)
})

/** Reads on, and survives what does not last: an unreachable database, or blob store. */
async function readSafely(ref: ImportRef, context: TaskContext, turn: Turn): Promise<Outcome> {
  const startMs = performance.now()
  for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(MAX_RETRY_MS, 2 * waitMs)) {
    try {
      return await read(ref, context, turn)
    } catch (error) {
      const failure = failureOf(error, performance.now() - startMs)
      if (failure) {
        context.log.warn({ import_id: ref.import_id, code: failure.code, ...causeOf(error) }, 'An import failed')
        await failImport(context.database, ref, failure)
        return 'ended'
      }
      if (turn.signal.aborted) throw new Error('The worker stopped while an import waited for a dependency', { cause: error })
      context.log.warn({ import_id: ref.import_id, err: error }, 'An import waits for a dependency')
      await delay(waitMs, undefined, { signal: turn.signal }).catch(() => {})
    }
  }
}

/** What the log says of an error: not its message, which may quote a cell. */
function causeOf(error: unknown): { error: string; at: string[] } | undefined {
  if (!(error instanceof Error) || error instanceof UnreadableFileError) return undefined
  const at = error.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? []
  return { error: `${error.name} ${(error as { code?: string }).code ?? ''}`.trimEnd(), at: at.map((line) => line.trim()) }
}

async function read(ref: ImportRef, { database, blobStore, secretBox }: TaskContext, turn: Turn): Promise<Outcome> {
  const found = await findRunningImport(database, ref)
  if (!found) return 'ended'
  if (found.dry_run && found.encoding !== null) await restartDryRun(database, ref)
  const open = await openFile(database, blobStore, found)
  await noteRecognition(database, open, found)
  const row = await findRunningImport(database, ref)
  if (!row) return 'ended'
  // What a dry run has seen is known here alone: it is done in one turn.
  const seen = row.dry_run ? new SeenKeys() : undefined
  const endMs = row.dry_run ? Number.POSITIVE_INFINITY : turn.endMs
  return readOn({ database, secretBox, open, row, seen, turn: { ...turn, endMs } })
}

/** Returns why an import ends here; null for what may pass. */
function failureOf(error: unknown, waitedMs: number): { code: ImportFailure; detail: string } | null {
  if (error instanceof UnreadableFileError) return { code: error.failure, detail: error.message }
  if (error instanceof MissingFileError) return { code: 'file_expunged', detail: error.message }
  if (error instanceof BlobStoreError) {
    return waitedMs < FILE_WAIT_MS
      ? null
      : { code: 'file_unavailable', detail: 'The file could not be read from the blob store. Resume the import when it can.' }
  }
  if (error instanceof ApiError && error.code === 'dependency_unavailable') return null
  return { code: 'internal_error', detail: 'Something went wrong on our side. Resume the import to try again.' }
}
