/** How much the database holds, and how long is measured. */
export interface Sizes {
  teams: number
  submissions: number
  /** Submissions of a team that the purge removes. */
  purged: number
  /** The numbers of stored attempts, ascending: each is filled and measured in turn. */
  attempts: readonly [number, number]
  /** Deliveries that wait for a later attempt. */
  waiting: number
  starts: number
  idleSeconds: number
  /** Runs of a statement or a request, of which the median counts. */
  runs: number
  /** Deliveries that are due while claims are timed, each for another endpoint. */
  due: number
  burst: number
  bursts: number
  /** The load before and after something is broken, and beside which writes are compared. */
  loadSeconds: number
}

export const ENDPOINTS_PER_TEAM = 30
export const HISTORY_DAYS = 30
/** The attempts that the table of figures shows, measured or not. */
export const WANTED_ATTEMPTS = 100_000_000
/** From fewer, by this factor, nothing can be said about them. */
const EXTRAPOLATED_FACTOR = 10

/** Whether so many attempts are too few to be measured themselves, but enough to tell of those that are wanted. */
export function isExtrapolated(attempts: number): boolean {
  return attempts < WANTED_ATTEMPTS && attempts * EXTRAPOLATED_FACTOR >= WANTED_ATTEMPTS
}

/** A tenth and the whole, so that the figures show what grows with the history. */
export function fullSizes(attempts: number): Sizes {
  return {
    teams: 10_000,
    submissions: 10_000_000,
    purged: 50_000,
    attempts: [attempts / 10, attempts],
    waiting: 20_000,
    starts: 3,
    idleSeconds: 20,
    runs: 100,
    due: 1_000,
    burst: 5_000,
    bursts: 3,
    loadSeconds: 10,
  }
}

/** Sizes that only show that the bench works. */
export const shortSizes: Sizes = {
  teams: 100,
  submissions: 20_000,
  purged: 2_000,
  attempts: [4_000, 40_000],
  waiting: 200,
  starts: 1,
  idleSeconds: 2,
  runs: 10,
  due: 200,
  burst: 500,
  bursts: 1,
  loadSeconds: 2,
}
