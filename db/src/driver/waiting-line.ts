import { unavailable } from './errors.ts'
import type { Patience } from './tx.ts'

/** A request that has waited for long before still gets this much for its next step. */
const LEAST_WAIT_MS = 1_000
/** How often the line looks for entries whose wait is over. A timer for each entry cost a twentieth of a listed page’s processor time. */
const LOOK_MS = 100

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
  untilMs: number
}

/** Creates a line of at most `max` entries; `waitMs` is the longest wait of one without patience of its own. */
export function createWaitingLine<Entry>({ max, waitMs }: { max: number; waitMs?: number | undefined }): WaitingLine<Entry> {
  const places = new Set<Place<Entry>>()
  let timer: NodeJS.Timeout | undefined
  const refuse = (place: Place<Entry>, reason: unknown) => {
    places.delete(place)
    place.refuse(reason)
  }
  const look = () => {
    const nowMs = performance.now()
    for (const place of places)
      if (place.untilMs <= nowMs) refuse(place, unavailable(new Error('All connections to the database were busy for too long')))
    if (places.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    add(entry, patience, refuseEntry) {
      if (places.size >= max) throw unavailable(new Error('Too many requests wait for the database'))
      const limitMs = patience ? Math.max(patience.untilMs - performance.now(), LEAST_WAIT_MS) : waitMs
      places.add({ entry, patience, refuse: refuseEntry, untilMs: performance.now() + (limitMs ?? Number.POSITIVE_INFINITY) })
      timer ??= setInterval(look, LOOK_MS)
    },
    take() {
      for (const place of places) {
        if (place.patience?.isGone()) refuse(place, unavailable(new Error('The client went away before its turn')))
        else {
          places.delete(place)
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
