import { durations } from '@earshot/contracts'

const LINK_MS = durations.mediaUrlMinutes * 60_000
/** Links of one half hour end at the same time, so that caches and entity tags see the same link. */
const STEP_MS = 1_800_000

/** Returns the time in seconds until which a link works that is signed now: an hour to an hour and a half later. */
export function linkTime(nowMs: number): number {
  return (Math.ceil((nowMs + LINK_MS) / STEP_MS) * STEP_MS) / 1000
}
