import { median } from '../figures.ts'
import { type Case, cases } from '../growth/cases.ts'
import { type GrowthDatabase, openGrowthDatabases } from '../growth/databases.ts'
import { explain, type Plan } from '../growth/plan.ts'
import { type Finding, type PartReport, table } from '../report.ts'

const SMALL = 1_000
const MAX_SCANNED = { records: 2_000, totals: 20_000 }

interface Outcome {
  testCase: Case
  smallMs: number
  largeMs: number
  /** Null for a change: EXPLAIN does not enter the functions that hold its statements. */
  plan: Plan | null
}

/** Measures what the growth of a project costs its lists: the median time of warm runs, scanned rows and buffers. */
export async function benchGrowth({
  submissions,
  otherTeams,
  warmRuns,
}: {
  submissions: number
  otherTeams: number
  warmRuns: number
}): Promise<PartReport> {
  await using databases = await openGrowthDatabases({ small: SMALL, large: submissions, otherTeams })
  const { indexing } = databases.large
  const outcomes: Outcome[] = []
  for (const testCase of cases) outcomes.push(await compare(testCase, databases, warmRuns))
  const rows = outcomes.map(({ testCase, smallMs, largeMs, plan }) => [
    testCase.name,
    smallMs.toFixed(2),
    largeMs.toFixed(2),
    (largeMs / smallMs).toFixed(2),
    plan ? String(plan.scannedRows) : '',
    plan ? String(plan.buffers) : '',
  ])
  return {
    title: `${submissions} submissions in a project and ${otherTeams} other teams, against ${SMALL}`,
    findings: [...outcomes.map(checkTime), checkRows(outcomes, 'records'), checkRows(outcomes, 'totals')],
    details: [
      `The index for searches takes ${indexing.us.toFixed(0)} µs, ${indexing.bytes.toFixed(0)} bytes and ${indexing.walBytes.toFixed(0)} bytes of WAL a record, all of it in a worker.`,
      table(['case', 'small ms', 'large ms', 'large ÷ small', 'rows scanned', 'buffers'], rows),
      ...outcomes.filter((outcome) => !checkTime(outcome).met).map(planOf),
    ],
  }
}

/** Runs a case on both databases in turn, so that other load on the machine affects both. */
async function compare(
  testCase: Case,
  { small, large }: { small: GrowthDatabase; large: GrowthDatabase },
  warmRuns: number,
): Promise<Outcome> {
  const took = { small: [] as number[], large: [] as number[] }
  const warmUpRuns = Math.ceil(warmRuns / 4)
  for (let run = 0; run < warmUpRuns + warmRuns; run += 1) {
    for (const [name, data] of [
      ['small', small],
      ['large', large],
    ] as const) {
      const startedMs = performance.now()
      await testCase.run(data.database, data, run)
      if (run >= warmUpRuns) took[name].push(performance.now() - startedMs)
    }
  }
  const plan = testCase.name === 'approve' ? null : await explain(large.database, (tx) => testCase.run(tx, large, 0))
  return { testCase, smallMs: median(took.small), largeMs: median(took.large), plan }
}

function checkTime({ testCase: { name, goal }, smallMs, largeMs }: Outcome): Finding {
  if ('ms' in goal) return { what: name, figure: `${largeMs.toFixed(1)} ms`, goal: `≤ ${goal.ms} ms`, met: largeMs <= goal.ms }
  const growth = largeMs / smallMs
  return { what: name, figure: `× ${growth.toFixed(2)}`, goal: `≤ ${goal.growth}`, met: growth <= goal.growth }
}

function checkRows(outcomes: Outcome[], what: keyof typeof MAX_SCANNED): Finding {
  const ofKind = outcomes.filter(({ testCase: { goal } }) => 'isFigure' in goal === (what === 'totals'))
  const most = Math.max(...ofKind.map(({ plan }) => plan?.scannedRows ?? 0))
  return { what: `${what} scanned by any case`, figure: String(most), goal: `≤ ${MAX_SCANNED[what]}`, met: most <= MAX_SCANNED[what] }
}

function planOf({ testCase, plan }: Outcome): string {
  return plan ? `<details><summary>Plan of ${testCase.name}</summary>\n\n\`\`\`\n${plan.text}\n\`\`\`\n\n</details>` : ''
}
