import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { benchAttempts } from './parts/attempts.ts'
import { benchCredentials } from './parts/credentials.ts'
import { benchDeliveries } from './parts/deliveries.ts'
import { benchUnheard } from './parts/event-cost.ts'
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
import { benchSilent } from './parts/unresponsive.ts'
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
  attempts: 10_000_000,
  silentSeconds: 40,
  pairs: 3,
  pairSeconds: 6,
}
/** Proves the bench itself; its figures say little. */
const short: typeof full = {
  rounds: 2,
  requests: 500,
  runs: 1,
  submissions: 20_000,
  otherTeams: 50,
  warmRuns: 20,
  deliveries: 500,
  seconds: 3,
  attempts: 100_000,
  silentSeconds: 5,
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
  growth: benchGrowth,
  deliveries: benchDeliveries,
  latency: benchLatency,
  fairness: benchFairness,
  attempts: benchAttempts,
  silent: benchSilent,
  unheard: benchUnheard,
  start: benchStart,
  help: benchHelp,
}

// An exit takes what was started along; a bare signal would not.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const { values, positionals } = parseArgs({ allowPositionals: true, options: { short: { type: 'boolean', default: false } } })
const unknown = positionals.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys(parts).join(', ')}; --short proves the bench only.`)
  process.exit(2)
}
await runParts(positionals.length > 0 ? positionals : Object.keys(parts), values.short ? short : full)

/** Prints each part as it ends; a whole run at full length is kept. */
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
  console.log('Written to bench/results.md')
}

function heading(): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`
  return [
    '# What a request costs',
    `Measured by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${machine}. Gates read processor time (Node and PostgreSQL) as medians over alternating rounds; rates stand beside and depend on what else the machine does.`,
  ].join('\n\n')
}
