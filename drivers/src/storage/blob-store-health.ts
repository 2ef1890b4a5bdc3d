import { settleWithin } from '../settle-within.ts'
import { type BlobStore, BlobStoreError } from './blob-store.ts'

const KEPT_MS = 3_000
const TIMEOUT_MS = 2_000
const LATE = new BlobStoreError('unavailable', `The store did not answer a check in ${TIMEOUT_MS} ms.`)

interface BlobStoreHealthOptions {
  /** Told about each failed check. */
  onFailure: (error: unknown) => void
}

/** Returns a function that checks the store for a probe: once in three seconds for all probes, and for two seconds at most. */
export function createBlobStoreHealth(store: BlobStore, { onFailure }: BlobStoreHealthOptions): () => Promise<boolean> {
  let last: { result: Promise<boolean>; timeMs: number } | null = null

  async function check(): Promise<boolean> {
    const failure = await settleWithin(
      TIMEOUT_MS,
      store.check().then(
        () => null,
        (error: unknown) => error,
      ),
      LATE,
    )
    if (failure !== null) onFailure(failure)
    return failure === null
  }

  return () => {
    if (last === null || performance.now() - last.timeMs > KEPT_MS) last = { result: check(), timeMs: performance.now() }
    return last.result
  }
}
