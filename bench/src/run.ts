import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { benchAttempts } from './parts/attempts.ts'
import { benchBodies } from './parts/bodies.ts'
import { benchCredentials } from './parts/credentials.ts'
import { benchDeliveries } from './parts/deliveries.ts'
import { benchErasure } from './parts/erasure.ts'
import { benchEventCost } from './parts/event-cost.ts'
import { benchExport } from './parts/export.ts'
import { benchFairness } from './parts/fairness.ts'
import { benchGrowth } from './parts/growth.ts'
import { benchHelp } from './parts/help.ts'
import { benchHotUser } from './parts/hot-user.ts'
import { benchIdle } from './parts/idle.ts'
import { benchImport } from './parts/import.ts'
import { benchImportBeside } from './parts/import-beside.ts'
import { benchImportRoundTrip } from './parts/import-round-trip.ts'
import { benchLatency } from './parts/latency.ts'
import { benchList } from './parts/list.ts'
import { benchMcp } from './parts/mcp.ts'
import { benchMemory } from './parts/memory.ts'
import { benchPlayback } from './parts/playback.ts'
import { benchRefreshes } from './parts/refreshes.ts'
import { benchRespond } from './parts/respond.ts'
import { benchScale } from './parts/scale.ts'
import { benchSignIns } from './parts/sign-ins.ts'
import { benchStart } from './parts/start.ts'
import { benchSubmit } from './parts/submit.ts'
import { benchTranscode } from './parts/transcode.ts'
import { benchUnresponsive } from './parts/unresponsive.ts'
import { benchUploads } from './parts/uploads.ts'
import { benchVisitors } from './parts/visitors.ts'
import { benchWidget } from './parts/widget.ts'
import { type PartReport, render } from './report.ts'
import { fullSizes, shortSizes } from './scale/sizes.ts'

const RESULTS = new URL('../results.md', import.meta.url)
const SCALE = new URL('../scale.md', import.meta.url)
const SCALE_ATTEMPTS = 20_000_000

const full = {
  rounds: 9,
  requests: 3_000,
  runs: 5,
  submissions: 1_000_000,
  otherTeams: 1_000,
  warmRuns: 200,
  deliveries: 5_000,
  seconds: 20,
  idleSeconds: 30,
  visitorSeconds: 60,
  attempts: 10_000_000,
  unresponsiveSeconds: 40,
  pairs: 3,
  pairSeconds: 6,
  imports: { rows: 100_000, rounds: 5 },
  beside: { rows: 200_000, pairs: 3, seconds: 30 },
  uploads: { rounds: 3, one: 400, many: 60, watched: 500 },
  scale: fullSizes(SCALE_ATTEMPTS),
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
  idleSeconds: 3,
  visitorSeconds: 2,
  attempts: 100_000,
  unresponsiveSeconds: 5,
  pairs: 1,
  pairSeconds: 2,
  imports: { rows: 5_000, rounds: 1 },
  beside: { rows: 10_000, pairs: 1, seconds: 3 },
  uploads: { rounds: 1, one: 20, many: 4, watched: 10 },
  scale: shortSizes,
}

const parts: Record<string, (length: typeof full) => Promise<PartReport>> = {
  list: benchList,
  credentials: benchCredentials,
  mcp: benchMcp,
  'hot-user': benchHotUser,
  'sign-ins': benchSignIns,
  refreshes: benchRefreshes,
  submit: benchSubmit,
  respond: benchRespond,
  widget: benchWidget,
  visitors: benchVisitors,
  growth: benchGrowth,
  export: benchExport,
  import: benchImport,
  'import-beside': benchImportBeside,
  'import-round-trip': benchImportRoundTrip,
  erasure: benchErasure,
  uploads: benchUploads,
  playback: benchPlayback,
  transcode: benchTranscode,
  deliveries: benchDeliveries,
  latency: benchLatency,
  idle: benchIdle,
  memory: benchMemory,
  fairness: benchFairness,
  attempts: benchAttempts,
  bodies: benchBodies,
  unresponsive: benchUnresponsive,
  'event-cost': benchEventCost,
  start: benchStart,
  help: benchHelp,
}
/** Parts that take so long that they run only by name. */
const longParts: typeof parts = { scale: benchScale }

// Exit handlers stop the processes that were started; a signal alone would not run them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false }, attempts: { type: 'string', default: String(SCALE_ATTEMPTS) } },
})
const known = { ...parts, ...longParts }
const unknown = positionals.filter((name) => !Object.hasOwn(known, name))
const attempts = Number(values.attempts)
if (unknown.length > 0 || !(attempts > 0)) {
  console.error(
    `Unknown: ${unknown.join(', ') || `--attempts ${values.attempts}`}. Parts: ${Object.keys(known).join(', ')}. With --short, the run only shows that the bench works.`,
  )
  process.exit(2)
}
await runParts(positionals.length > 0 ? positionals : Object.keys(parts), values.short ? short : { ...full, scale: fullSizes(attempts) })

/** Runs the parts and prints each report. A full run is written to `bench/results.md`, and scale to `bench/scale.md`, at full length only. */
async function runParts(names: string[], length: typeof full): Promise<void> {
  const reports: PartReport[] = []
  for (const name of names) {
    const report = await known[name]?.(length)
    if (!report) continue
    console.log(`${render(report)}\n`)
    if (Object.hasOwn(parts, name)) reports.push(report)
    else if (length !== short) write(SCALE, ['# What size costs', measuredBy(`npm run bench -- ${name}`), render(report)])
  }
  if (reports.length === Object.keys(parts).length && length !== short) write(RESULTS, [heading(), ...reports.map(render)])
}

function write(file: URL, blocks: string[]): void {
  writeFileSync(file, `${blocks.join('\n\n')}\n`)
  execFileSync('biome', ['format', '--write', fileURLToPath(file)])
  console.log(`Wrote ${fileURLToPath(file)}`)
}

function heading(): string {
  return [
    '# What a request costs',
    `${measuredBy('npm run bench')} Goals apply to processor time (Node and PostgreSQL), as medians over alternating rounds. Rates are shown for information and depend on other load on the machine.`,
  ].join('\n\n')
}

function measuredBy(command: string): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`
  return `Measured by \`${command}\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${machine}.`
}
