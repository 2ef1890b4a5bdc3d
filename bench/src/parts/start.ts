import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres } from '@earshot/db/embedded'
import { median } from '../figures.ts'
import { processorMicroseconds } from '../processor-time.ts'
import type { PartReport } from '../report.ts'
import { startService } from '../service-process.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const ADMIN = fileURLToPath(new URL('../../../app/dist/admin.js', import.meta.url))
const SAYS_PROCESSOR_TIME = `data:text/javascript,${encodeURIComponent(`process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  process.stderr.write('processor time ' + Math.round((user + system) / 1000))
})`)}`
const FIRST_GOAL_MS = 8_000
const NODE_GOAL_MS = 800
const POSTGRES_RATIO = 1.2
const HELP_GOAL_MS = 400
const COMMAND_GOAL_MS = 1_000

interface Start {
  readyMs: number
  /** Processor time of Node until the service was ready. */
  nodeMs: number
}

/**
 * Measures the start from an empty directory, including the database cluster, again on the same data, and the start of its embedded
 * PostgreSQL alone; then commands of the admin CLI.
 */
export async function benchStart({ runs }: { runs: number }): Promise<PartReport> {
  const starts: { first: Start; later: Start; postgresMs: number; helpMs: number; commandMs: number }[] = []
  for (let run = 0; run < runs; run += 1) {
    using directory = createTemporaryDirectory()
    starts.push({
      first: await timeStart(directory.path),
      later: await timeStart(directory.path),
      postgresMs: await timePostgres(directory.path),
      helpMs: timeAdmin(directory.path, ['--help']),
      commandMs: timeAdmin(directory.path, ['mail', 'list']),
    })
  }
  const of = (figure: (start: (typeof starts)[number]) => number) => median(starts.map(figure))
  const firstMs = of(({ first }) => first.readyMs)
  const laterMs = of(({ later }) => later.readyMs)
  const nodeMs = of(({ later }) => later.nodeMs)
  const postgresMs = of((start) => start.postgresMs)
  const helpMs = of((start) => start.helpMs)
  const commandMs = of((start) => start.commandMs)
  return {
    title: 'Start to ready',
    findings: [
      finding('first start', firstMs, FIRST_GOAL_MS),
      finding(`later start (its PostgreSQL alone: ${seconds(postgresMs)})`, laterMs, POSTGRES_RATIO * postgresMs + NODE_GOAL_MS),
      finding('later start, processor time of Node', nodeMs, NODE_GOAL_MS),
      finding('`admin --help`, processor time', helpMs, HELP_GOAL_MS),
      finding('`admin mail list`, processor time', commandMs, COMMAND_GOAL_MS),
    ],
    details: [],
  }
}

function finding(what: string, ms: number, goalMs: number) {
  return { what, figure: seconds(ms), goal: `≤ ${seconds(goalMs)}`, met: ms <= goalMs }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

async function timeStart(dataDir: string): Promise<Start> {
  await using service = await startService(dataDir)
  return { readyMs: service.readyAfterMs, nodeMs: processorMicroseconds(service.pid) / 1000 }
}

async function timePostgres(dataDir: string): Promise<number> {
  const startedMs = performance.now()
  const server = await startEmbeddedPostgres({ dataDir })
  const tookMs = performance.now() - startedMs
  await server.stop()
  return tookMs
}

/** Returns the processor time of a command, as it says itself at its end. Its PostgreSQL, if it starts one, has its own. */
function timeAdmin(dataDir: string, words: readonly string[]): number {
  const { status, stderr } = spawnSync(process.execPath, ['--import', SAYS_PROCESSOR_TIME, ADMIN, ...words], {
    env: { ...process.env, EARSHOT_DATA_DIR: dataDir },
    encoding: 'utf8',
  })
  const found = /processor time (\d+)/.exec(stderr)?.[1]
  if (status !== 0 || found === undefined) throw new Error(`admin ${words.join(' ')} ended with ${status}: ${stderr}`)
  return Number(found)
}
