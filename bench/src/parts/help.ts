import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { median } from '../figures.ts'
import type { PartReport } from '../report.ts'
import { startService } from '../service-process.ts'
import { createTeams, fillWithSubmissions, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const TOP = fileURLToPath(new URL('../../..', import.meta.url))
/** As it is published. */
const EARSHOT = `${TOP}cli/dist/lib/earshot.js`
const ROWS = 25
const GOAL_MS = 60
const GOAL_RATIO = 1.6

/** What anybody would write instead. */
const BARE = `
  const response = await fetch(process.env.ADDRESS, { headers: { authorization: 'Bearer ' + process.env.EARSHOT_TOKEN } })
  for (const { id, state, body } of (await response.json()).results) console.log(id, state, body)`

/** Measures the start of the command line, and a list of 25 rows against a bare script. The first runs fill the compile cache. */
export async function benchHelp({ runs }: { runs: number }): Promise<PartReport> {
  const built = spawnSync('npm', ['run', '--silent', 'build', '--workspace', 'cli'], { cwd: TOP, stdio: 'inherit' })
  if (built.status !== 0) throw new Error('The command line could not be built.')
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  const [team] = (await createTeams(database, 1)) as [Team]
  await fillWithSubmissions(database)
  const place = `teams/${team.id}/projects/${team.project_id}`
  const env = {
    ...{ PATH: process.env.PATH ?? '', EARSHOT_URL: service.url, EARSHOT_TOKEN: team.token, EARSHOT_TEAM: team.id },
    ...{ EARSHOT_PROJECT: team.project_id, ADDRESS: `${service.url}/api/v1/${place}/submissions/?limit=${ROWS}` },
  }
  const contenders = {
    empty: ['-e', '0'],
    help: [EARSHOT, '--help'],
    list: [EARSHOT, 'submissions', 'list', '--limit', String(ROWS)],
    bare: ['--input-type=module', '-e', BARE],
  }
  const times: Record<string, number[]> = {}
  for (let run = -1; run < runs; run += 1) {
    for (const [name, args] of Object.entries(contenders)) {
      const ms = await timeMs(args, env)
      if (run >= 0) times[name] = [...(times[name] ?? []), ms]
    }
  }
  const of = (name: keyof typeof contenders) => median(times[name] ?? [])
  const aboveMs = of('help') - of('empty')
  const ratio = of('list') / of('bare')
  return {
    title: 'The command line',
    findings: [
      {
        what: `\`earshot --help\` in addition to \`node -e 0\` (${of('empty').toFixed(0)} ms)`,
        figure: `${aboveMs.toFixed(0)} ms`,
        goal: `≤ ${GOAL_MS} ms`,
        met: aboveMs <= GOAL_MS,
      },
      {
        what: `list of ${ROWS} rows (${of('list').toFixed(0)} ms) ÷ a bare script with fetch (${of('bare').toFixed(0)} ms)`,
        figure: ratio.toFixed(2),
        goal: `≤ ${GOAL_RATIO}`,
        met: ratio <= GOAL_RATIO,
      },
    ],
    details: [],
  }
}

async function timeMs(args: readonly string[], env: Record<string, string>): Promise<number> {
  const startedMs = performance.now()
  const [code] = await once(spawn(process.execPath, args, { stdio: 'ignore', env }), 'close')
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`)
  return performance.now() - startedMs
}
