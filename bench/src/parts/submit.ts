import { startBaseline } from '../baseline-process.ts'
import { type Child, startChild } from '../child-process.ts'
import { findPostgres } from '../postgres-process.ts'
import type { Finding, PartReport } from '../report.ts'
import { alternate, type Contender, costsTable, ratioOf } from '../rounds.ts'
import { startService } from '../service-process.ts'
import { createTeams, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const TEAMS = 200
const CONNECTIONS = 20
const GOALS = [
  { name: 'baseline, all rows', servers: ['baseline, all rows', 'baseline, all rows, second baseline'], goal: 0.85 },
  { name: 'baseline, one insert', servers: ['baseline, one insert'], goal: 0.5 },
]
const SUBMISSION = { rating: 5, author: { name: 'Ada Lovelace', email: 'ada@example.com' }, consent: { granted: true } }

/** Measures public submission to many projects and to one, against baselines that write the same rows, or one row only. fsync is on. */
export async function benchSubmit({ rounds, requests }: { rounds: number; requests: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api', EARSHOT_TRUST_PROXY: '1' })
  await using database = openBenchDatabase(service.address)
  const [single, ...teams] = await createTeams(database, TEAMS + 1)
  await using baseline = await startBaseline(service.address)
  await using secondBaseline = await startBaseline(service.address)
  await using generator: Child = await startChild(new URL('../load.ts', import.meta.url))

  const contender = (name: string, { pid, url }: { pid: number; url: string }, path: (team: Team) => string, to = teams): Contender => ({
    name,
    pid,
    load: {
      url,
      connections: CONNECTIONS,
      requests,
      status: 201,
      body: SUBMISSION,
      targets: to.map((team) => ({ method: 'POST', path: path(team), headers: {} })),
    },
  })
  const ours = ({ publicKey }: Team) => `/api/public/v1/projects/${publicKey}/submissions/`
  const allRows = ({ publicKey }: Team) => `/all-rows/${publicKey}/`
  const contenders = [
    contender('service', service, ours),
    contender('baseline, all rows', baseline, allRows),
    contender('baseline, all rows, second baseline', secondBaseline, allRows),
    contender('baseline, one insert', baseline, ({ publicKey }) => `/one-insert/${publicKey}/`),
    contender('service, one team', service, ours, single ? [single] : []),
  ]
  const costs = await alternate(generator, await findPostgres(database), contenders, rounds)
  const [settings] = await database.client<[{ fsync: string }]>`select current_setting('fsync') as fsync`
  return {
    title: `Public submission over ${TEAMS} projects, ${CONNECTIONS} connections, fsync ${settings.fsync}`,
    findings: [
      ...GOALS.map(({ name, servers, goal }): Finding => {
        const ratio = ratioOf(costs, servers, 'service')
        return { what: `processor time, ${name} ÷ service`, figure: ratio.toFixed(2), goal: `≥ ${goal}`, met: ratio >= goal }
      }),
      {
        what: 'control: baseline ÷ second baseline',
        figure: ratioOf(costs, ['baseline, all rows'], 'baseline, all rows, second baseline').toFixed(2),
        goal: 'about 1',
        met: null,
      },
      {
        what: 'one team',
        figure: `${costs.get('service, one team')?.requestsPerSecond.toFixed(0)} submissions/s`,
        goal: '',
        met: null,
      },
    ],
    details: [costsTable(costs.values())],
  }
}
