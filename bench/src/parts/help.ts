import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median } from '../figures.ts'
import type { PartReport } from '../report.ts'

const EARSHOT = fileURLToPath(new URL('../../../cli/src/earshot.js', import.meta.url))
const GOAL_MS = 60

/** Measures the start of the command line in addition to Node itself. The first run fills the compile cache. */
export async function benchHelp({ runs }: { runs: number }): Promise<PartReport> {
  const helps: number[] = []
  const empties: number[] = []
  timeMs([EARSHOT, '--help'])
  for (let run = 0; run < runs; run += 1) {
    helps.push(timeMs([EARSHOT, '--help']))
    empties.push(timeMs(['-e', '0']))
  }
  const aboveMs = median(helps) - median(empties)
  return {
    title: '`earshot --help`',
    findings: [
      {
        what: `in addition to \`node -e 0\` (${median(empties).toFixed(0)} ms)`,
        figure: `${aboveMs.toFixed(0)} ms`,
        goal: `≤ ${GOAL_MS} ms`,
        met: aboveMs <= GOAL_MS,
      },
    ],
    details: [],
  }
}

function timeMs(args: string[]): number {
  const startedMs = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
  return performance.now() - startedMs
}
