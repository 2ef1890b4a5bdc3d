import { unavailable } from './errors.ts'
import type { Patience } from './tx.ts'

/** A request that has waited for long before still gets this much for its next step. */
const LEAST_WAIT_MS = 1_000

/** A bounded line of waiting work, first come, first served. */
export interface WaitingLine<Entry> {
  /** Throws `dependency_unavailable` when too much waits already. Refuses the entry when its patience ends first. */
  add(entry: Entry, patience: Patience | undefined, refuse: (reason: unknown) => void): void
  /** Takes the first entry out of the line. Those whose client has gone are refused instead. */
  take(): Entry | undefined
  refuseAll(reason: unknown): void
  readonly size: number
}

interface Place<Entry> {
  entry: Entry
  patience: Patience | undefined
  refuse: (reason: unknown) => void
  timer: NodeJS.Timeout | undefined
}

/** Creates a line of at most `max` entries; `waitMs` is the longest wait of one without patience of its own. */
export function createWaitingLine<Entry>({ max, waitMs }: { max: number; waitMs?: number | undefined }): WaitingLine<Entry> {
  const places = new Set<Place<Entry>>()
  const leave = (place: Place<Entry>) => {
    places.delete(place)
    clearTimeout(place.timer)
  }
  const refuse = (place: Place<Entry>, reason: unknown) => {
    leave(place)
    place.refuse(reason)
  }
  return {
    add(entry, patience, refuseEntry) {
      if (places.size >= max) throw unavailable(new Error('Too many requests wait for the database'))
      const place: Place<Entry> = { entry, patience, refuse: refuseEntry, timer: undefined }
      places.add(place)
      const limitMs = patience ? Math.max(patience.untilMs - performance.now(), LEAST_WAIT_MS) : waitMs
      if (limitMs === undefined) return
      place.timer = setTimeout(
        () => refuse(place, unavailable(new Error('All connections to the database were busy for too long'))),
        limitMs,
      )
    },
    take() {
      for (const place of places) {
        if (place.patience?.isGone()) refuse(place, unavailable(new Error('The client went away before its turn')))
        else {
          leave(place)
          return place.entry
        }
      }
      return undefined
    },
    refuseAll(reason) {
      for (const place of places) refuse(place, reason)
    },
    get size() {
      return places.size
    },
  }
}
