import { median } from '../figures.ts'
import { type Question, questions } from '../growth/cases.ts'
import { type Ground, openGrounds } from '../growth/databases.ts'
import { explain, type Plan } from '../growth/plan.ts'
import { type Finding, type PartReport, table } from '../report.ts'

const SMALL = 1_000
const MAX_SCANNED_ROWS = 2_000

interface Outcome {
  question: Question
  smallMs: number
  largeMs: number
  /** Null for a change: its statements lie in functions, which EXPLAIN does not enter. */
  plan: Plan | null
}

/** What a project's growth costs its lists: rows and buffers as the gate, medians of warm runs beside. */
export async function benchGrowth({
  submissions,
  otherTeams,
  warmRuns,
}: {
  submissions: number
  otherTeams: number
  warmRuns: number
}): Promise<PartReport> {
  await using grounds = await openGrounds({ small: SMALL, large: submissions, otherTeams })
  const outcomes: Outcome[] = []
  for (const question of questions) outcomes.push(await compare(question, grounds, warmRuns))
  const rows = outcomes.map(({ question, smallMs, largeMs, plan }) => [
    question.name,
    smallMs.toFixed(2),
    largeMs.toFixed(2),
    (largeMs / smallMs).toFixed(2),
    plan ? String(plan.scannedRows) : '',
    plan ? String(plan.buffers) : '',
  ])
  return {
    title: `${submissions} submissions in a project and ${otherTeams} other teams, against ${SMALL}`,
    findings: [...outcomes.map(judgeTime), judgeRows(outcomes)],
    details: [table(['question', 'small ms', 'large ms', 'large ÷ small', 'rows scanned', 'buffers'], rows), ...outcomes.map(planOf)],
  }
}

/** Asked of both in turn, so that what the machine does meets both. */
async function compare(question: Question, { small, large }: { small: Ground; large: Ground }, warmRuns: number): Promise<Outcome> {
  const took = { small: [] as number[], large: [] as number[] }
  const warmUpRuns = Math.ceil(warmRuns / 4)
  for (let run = 0; run < warmUpRuns + warmRuns; run += 1) {
    for (const [name, ground] of [
      ['small', small],
      ['large', large],
    ] as const) {
      const startedMs = performance.now()
      await question.ask(ground.database, ground, run)
      if (run >= warmUpRuns) took[name].push(performance.now() - startedMs)
    }
  }
  const plan = question.name === 'approve' ? null : await explain(large.database, (tx) => question.ask(tx, large, 0))
  return { question, smallMs: median(took.small), largeMs: median(took.large), plan }
}

function judgeTime({ question: { name, goal }, smallMs, largeMs }: Outcome): Finding {
  if ('ms' in goal) return { what: name, figure: `${largeMs.toFixed(1)} ms`, goal: `≤ ${goal.ms} ms`, met: largeMs <= goal.ms }
  const growth = largeMs / smallMs
  return { what: name, figure: `× ${growth.toFixed(2)}`, goal: `≤ ${goal.growth}`, met: growth <= goal.growth }
}

function judgeRows(outcomes: Outcome[]): Finding {
  const most = Math.max(...outcomes.map(({ plan }) => plan?.scannedRows ?? 0))
  return { what: 'rows scanned by any question', figure: String(most), goal: `≤ ${MAX_SCANNED_ROWS}`, met: most <= MAX_SCANNED_ROWS }
}

function planOf({ question, plan }: Outcome): string {
  return plan ? `<details><summary>Plan of ${question.name}</summary>\n\n\`\`\`\n${plan.text}\n\`\`\`\n\n</details>` : ''
}
