import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { benchAttempts } from './parts/attempts.ts'
import { benchCredentials } from './parts/credentials.ts'
import { benchDeliveries } from './parts/deliveries.ts'
import { benchEventCost } from './parts/event-cost.ts'
import { benchFairness } from './parts/fairness.ts'
import { benchGrowth } from './parts/growth.ts'
import { benchHelp } from './parts/help.ts'
import { benchHotUser } from './parts/hot-user.ts'
import { benchLatency } from './parts/latency.ts'
import { benchList } from './parts/list.ts'
import { benchRefreshes } from './parts/refreshes.ts'
import { benchSignIns } from './parts/sign-ins.ts'
import { benchStart } from './parts/start.ts'
import { benchSubmit } from './parts/submit.ts'
import { benchUnresponsive } from './parts/unresponsive.ts'
import { benchVisitors } from './parts/visitors.ts'
import { type PartReport, render } from './report.ts'

const RESULTS = new URL('../results.md', import.meta.url)

const full = {
  rounds: 9,
  requests: 3_000,
  runs: 5,
  submissions: 1_000_000,
  otherTeams: 1_000,
  warmRuns: 200,
  deliveries: 5_000,
  seconds: 20,
  visitorSeconds: 60,
  attempts: 10_000_000,
  unresponsiveSeconds: 40,
  pairs: 3,
  pairSeconds: 6,
}
/** Lengths that only show that the bench works; the figures mean little. */
const short: typeof full = {
  rounds: 2,
  requests: 500,
  runs: 1,
  submissions: 20_000,
  otherTeams: 50,
  warmRuns: 20,
  deliveries: 500,
  seconds: 3,
  visitorSeconds: 2,
  attempts: 100_000,
  unresponsiveSeconds: 5,
  pairs: 1,
  pairSeconds: 2,
}

const parts: Record<string, (length: typeof full) => Promise<PartReport>> = {
  list: benchList,
  credentials: benchCredentials,
  'hot-user': benchHotUser,
  'sign-ins': benchSignIns,
  refreshes: benchRefreshes,
  submit: benchSubmit,
  visitors: benchVisitors,
  growth: benchGrowth,
  deliveries: benchDeliveries,
  latency: benchLatency,
  fairness: benchFairness,
  attempts: benchAttempts,
  unresponsive: benchUnresponsive,
  'event-cost': benchEventCost,
  start: benchStart,
  help: benchHelp,
}

// Exit handlers stop the processes that were started; a signal alone would not run them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const { values, positionals } = parseArgs({ allowPositionals: true, options: { short: { type: 'boolean', default: false } } })
const unknown = positionals.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) {
  console.error(
    `Unknown part: ${unknown.join(', ')}. Parts: ${Object.keys(parts).join(', ')}. With --short, the run only shows that the bench works.`,
  )
  process.exit(2)
}
await runParts(positionals.length > 0 ? positionals : Object.keys(parts), values.short ? short : full)

/** Runs the parts and prints each report. A full run at full length is written to `bench/results.md`. */
async function runParts(names: string[], length: typeof full): Promise<void> {
  const reports: PartReport[] = []
  for (const name of names) {
    const report = await parts[name]?.(length)
    if (!report) continue
    console.log(`${render(report)}\n`)
    reports.push(report)
  }
  if (names.length < Object.keys(parts).length || length === short) return
  writeFileSync(RESULTS, `${[heading(), ...reports.map(render)].join('\n\n')}\n`)
  execFileSync('biome', ['format', '--write', fileURLToPath(RESULTS)])
  console.log('Wrote bench/results.md')
}

function heading(): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`
  return [
    '# What a request costs',
    `Measured by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${machine}. Goals apply to processor time (Node and PostgreSQL), as medians over alternating rounds. Rates are shown for information and depend on other load on the machine.`,
  ].join('\n\n')
}
