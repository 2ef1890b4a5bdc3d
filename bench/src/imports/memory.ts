import { residentMegabytes } from '../resident-megabytes.ts'

const SAMPLE_MS = 100

/** Does some work, and returns how much more resident memory each process had meanwhile than before, at most. */
export async function largestDuring<Result>(
  pids: readonly number[],
  work: () => Promise<Result>,
): Promise<{ moreMb: number[]; result: Result }> {
  const before = pids.map(residentMegabytes)
  const moreMb = pids.map(() => 0)
  const sample = () => {
    for (const [index, pid] of pids.entries()) moreMb[index] = Math.max(moreMb[index] ?? 0, residentMegabytes(pid) - (before[index] ?? 0))
  }
  const timer = setInterval(sample, SAMPLE_MS)
  try {
    const result = await work()
    sample()
    return { moreMb, result }
  } finally {
    clearInterval(timer)
  }
}
