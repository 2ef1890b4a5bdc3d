import type { Surroundings } from './surroundings.ts'

/**
 * Lanes by what disturbs what. The stages follow each other. The lanes of a stage run beside each other, the checks of a lane one after the
 * other.
 */
export const STAGES = [
  // They use all processors: what runs beside them would wait for them. They install what later checks need.
  ['heavy'],
  // Both wait much of the time: for browsers, uploads and answers.
  ['programs', 'pages'],
  // In them, a person has some seconds to act, or a device plays a clip.
  ['timed'],
  // Schemathesis changes the records that others read.
  ['behaviour', 'dashboard'],
  // They kill, pause and wait: two have always run beside each other.
  ['faults', 'more faults'],
  // Any check beside it would slow it down.
  ['alone'],
] as const

type Lane = (typeof STAGES)[number][number]
export type Quarter = 0 | 1 | 2 | 3

/** A check of the running service by an outside tool, or of something that outsiders use. */
export interface Check {
  /** The subject of the check, and the tool. Words of a command line choose checks by it. */
  name: string
  lane: Lane
  /** About how long it takes on two processors, with its tools installed. Quarters have about the same sums. */
  seconds: number
  /** Resolves to the problem, or null. */
  run: (surroundings: Surroundings) => Promise<string | null>
}

/** A check of the wide ring: one hour of four takes it, that whose number since 1970, modulo 4, is its quarter. */
export interface WideCheck extends Check {
  quarter: Quarter
}
