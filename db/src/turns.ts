/** Waits for a turn, does the work, and passes the turn on when the work is really over. */
export type TakeTurn = <Result>(work: () => PromiseLike<Result>) => Promise<Result>

/** Lets at most `max` works be under way; the others wait in the order in which they came. */
export function createTurns(max: number): TakeTurn {
  const waiting: (() => void)[] = []
  let free = max
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
