import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '@earshot/contracts'
import { readUpload, releaseLease, renewLease, type Tx, takeLease, type VideoLease, type VideoRef } from '@earshot/db'
import { requireOpen } from './open-upload.ts'

const RENEW_MS = 10_000
/** A client that comes back often does so before the end of its old request is noticed. */
const WAIT_MS = 2_000
const POLL_MS = 100
const RETRY_SECONDS = 2

/** The lease of one request, renewed while it makes progress. */
export interface UploadLease {
  held: VideoLease
  /** Notes that bytes have come or were stored. */
  progress: () => void
  end: () => Promise<void>
}

/**
 * Takes the lease of an upload; waits a moment for one that another request is giving back. A request that is silent lends its lease
 * to the next one, and keeps it if nobody comes. Throws `upload_locked`, and what `requireOpen` throws.
 */
export async function beginLease(tx: Tx, ref: VideoRef, isGone: () => boolean): Promise<UploadLease> {
  const held = await takeWithin(tx, ref, isGone)
  let hasProgress = true
  let renewing = Promise.resolve()
  const timer = setInterval(() => {
    const keep = hasProgress ? renewLease(tx, held) : releaseLease(tx, held)
    // Without the database, the lease runs out; the fence decides then.
    renewing = Promise.resolve(keep).then(
      () => {},
      () => {},
    )
    hasProgress = false
  }, RENEW_MS)
  return {
    held,
    progress: () => {
      hasProgress = true
    },
    end: async () => {
      clearInterval(timer)
      await renewing
      // Without the database, it runs out by itself.
      await releaseLease(tx, held).catch(() => {})
    },
  }
}

async function takeWithin(tx: Tx, ref: VideoRef, isGone: () => boolean): Promise<VideoLease> {
  for (const untilMs = performance.now() + WAIT_MS; ; await delay(POLL_MS)) {
    const held = await takeLease(tx, ref)
    if (held) return held
    requireOpen(await readUpload(tx, ref))
    if (performance.now() > untilMs || isGone()) throw new ApiError('upload_locked', { retryAfterSeconds: RETRY_SECONDS })
  }
}
