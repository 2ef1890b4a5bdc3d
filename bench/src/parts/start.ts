import { median } from '../figures.ts'
import type { PartReport } from '../report.ts'
import { startService } from '../service-process.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const FIRST_GOAL_MS = 8_000
const LATER_GOAL_MS = 2_000

/** Measures the start from an empty directory, including the database cluster, and again on the same data. */
export async function benchStart({ runs }: { runs: number }): Promise<PartReport> {
  const firsts: number[] = []
  const laters: number[] = []
  for (let run = 0; run < runs; run += 1) {
    using directory = createTemporaryDirectory()
    firsts.push(await timeStart(directory.path))
    laters.push(await timeStart(directory.path))
  }
  const finding = (what: string, ms: number, goalMs: number) => ({
    what,
    figure: `${(ms / 1000).toFixed(2)} s`,
    goal: `≤ ${goalMs / 1000} s`,
    met: ms <= goalMs,
  })
  return {
    title: 'Start to ready',
    findings: [finding('first start', median(firsts), FIRST_GOAL_MS), finding('later start', median(laters), LATER_GOAL_MS)],
    details: [],
  }
}

async function timeStart(dataDir: string): Promise<number> {
  await using service = await startService(dataDir)
  return service.readyAfterMs
}
