import { type Check, type Quarter, STAGES, type WideCheck } from './check.ts'
import { sourceOf } from './sources.ts'

const HOUR_MS = 3_600_000
const QUARTERS = 4

/** The options of a run. */
export interface Wish {
  /** Words of the names of checks, whichever their ring. */
  words: readonly string[]
  /** Both rings whole. */
  isAll: boolean
  /** How long the run should take: checks whose sources changed are left to their turn where there is no time. */
  minutes: number | null
}

/** The clock and the changed files, which decide beside the options. */
export interface Moment {
  nowMs: number
  /** Files that changed in the last twelve hours; null where the history does not tell. */
  changed: readonly string[] | null
}

interface Selected {
  check: Check
  /** Why it is taken, or left out. */
  why: string
}

/** The checks that a run takes, and those that it leaves out, in the order of the tables. */
export interface Selection {
  taken: readonly Selected[]
  leftOut: readonly Selected[]
}

/** Both rings. */
export interface Rings {
  core: Readonly<Record<string, Check>>
  wide: Readonly<Record<string, WideCheck>>
}

/** Returns whose turn it is: the number of the hour since 1970, modulo 4. */
export function quarterOf(nowMs: number): Quarter {
  // A remainder of 4.
  return (Math.floor(nowMs / HOUR_MS) % QUARTERS) as Quarter
}

/** Returns the checks that a run takes: those that were named, or the core ring, the quarter whose turn it is and what has changed. */
export function select({ core, wide }: Rings, { words, isAll, minutes }: Wish, moment: Moment): Selection {
  const all = [...Object.values(core), ...Object.values(wide)]
  if (words.length > 0) return split(all, ({ name }) => (words.some((word) => name.includes(word)) ? 'named' : null), 'not named')
  if (isAll) return split(all, () => 'both rings', '')
  const turn = quarterOf(moment.nowMs)
  const reasons = new Map<Check, string>(Object.values(core).map((check) => [check, 'core ring']))
  for (const check of Object.values(wide)) if (check.quarter === turn) reasons.set(check, `quarter ${turn} of the wide ring`)
  const changes = changesOf(wide, moment.changed)
  const late = new Map<Check, string>()
  const changed = Object.entries(wide).filter(([id, check]) => !reasons.has(check) && changes.has(id))
  // The short ones first: so more of them have time.
  for (const [id, check] of changed.toSorted(([, a], [, b]) => a.seconds - b.seconds)) {
    const why = changes.get(id) ?? ''
    const isInTime = minutes === null || secondsOf([...reasons.keys(), check]) <= minutes * 60
    if (isInTime) reasons.set(check, why)
    else late.set(check, `${why}, but ${minutes} minutes are full; `)
  }
  const selection = split(all, (check) => reasons.get(check) ?? null, '')
  const leftOut = selection.leftOut.map(({ check }) => {
    const own = Object.values(wide).find((one) => one === check)
    return { check, why: `${late.get(check) ?? ''}quarter ${own?.quarter}, from ${nextTurn(moment.nowMs, own?.quarter ?? 0)} on` }
  })
  return { taken: selection.taken, leftOut }
}

/** Returns about how long checks take: the longest lane of each stage. */
export function secondsOf(checks: readonly Check[]): number {
  const inLane = (name: string) => checks.filter(({ lane }) => lane === name).reduce((sum, { seconds }) => sum + seconds, 0)
  return STAGES.map((lanes) => Math.max(...lanes.map(inLane))).reduce((sum, seconds) => sum + seconds, 0)
}

/** Says what a run takes, and why. */
export function announce({ taken, leftOut }: Selection): string {
  const minutes = Math.ceil(secondsOf(taken.map(({ check }) => check)) / 60)
  const lines = taken.map(({ check, why }) => `takes     ${check.name} (${why})`)
  return [`${taken.length} of ${taken.length + leftOut.length} checks, about ${minutes} min:`, ...lines].join('\n')
}

/** Says what a run left out, and when its turn comes. */
export function tellLeftOut({ leftOut }: Selection): string {
  return leftOut.map(({ check, why }) => `left out  ${check.name} (${why})`).join('\n')
}

/** The reason of each check that changed files concern, by its id. */
function changesOf(wide: Rings['wide'], changed: readonly string[] | null): Map<string, string> {
  const ids = Object.keys(wide)
  if (changed === null) return new Map(ids.map((id) => [id, 'no commit of more than twelve hours ago is known']))
  const folders = new Map<string, Set<string>>()
  for (const path of changed) {
    const { folder, concerned } = sourceOf(path)
    for (const id of concerned === 'all' ? ids : concerned) folders.set(id, (folders.get(id) ?? new Set()).add(folder))
  }
  return new Map([...folders].map(([id, names]) => [id, `changed: ${[...names].sort().join(', ')}`]))
}

function split(checks: readonly Check[], reasonOf: (check: Check) => string | null, otherwise: string): Selection {
  const decided = checks.map((check) => ({ check, why: reasonOf(check) }))
  return {
    taken: decided.flatMap(({ check, why }) => (why === null ? [] : [{ check, why }])),
    leftOut: decided.flatMap(({ check, why }) => (why === null ? [{ check, why: otherwise }] : [])),
  }
}

/** The next full hour of a quarter, in UTC. */
function nextTurn(nowMs: number, quarter: Quarter): string {
  const hour = Math.floor(nowMs / HOUR_MS)
  const wait = (quarter - (hour % QUARTERS) + QUARTERS) % QUARTERS
  return `${new Date((hour + wait) * HOUR_MS).toISOString().slice(11, 16)} UTC`
}
