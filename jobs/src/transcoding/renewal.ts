import { type Database, renewTranscode, type Transcode } from '@earshot/db'
import { touchWorkFolder } from './work-folder.ts'

const RENEW_MS = 5_000

export interface Renewal {
  /** From 0 to 1; shown with the next renewal. */
  progress: number
  folder: string | null
  /** Aborted when another attempt holds the video, or when it was deleted. */
  lost: AbortSignal
  stop: () => void
}

/** Renews the lease of a video, one renewal at a time. Without the database it runs out: the fence decides then. */
export function startRenewal(database: Database, video: Transcode, renewMs = RENEW_MS): Renewal {
  const lost = new AbortController()
  let isRenewing = false
  const renew = async () => {
    if (renewal.folder !== null) await touchWorkFolder(renewal.folder).catch(() => {})
    const isOurs = await renewTranscode(database, video, renewal.progress).catch(() => true)
    if (!isOurs) lost.abort()
  }
  const timer = setInterval(async () => {
    if (isRenewing) return
    isRenewing = true
    await renew()
    isRenewing = false
  }, renewMs)
  const renewal: Renewal = { progress: 0, folder: null, lost: lost.signal, stop: () => clearInterval(timer) }
  return renewal
}
