import { startBaseline } from '../baseline-process.ts'
import { type Child, startChild } from '../child-process.ts'
import { findPostgres } from '../postgres-process.ts'
import type { Finding, PartReport } from '../report.ts'
import { alternate, type Contender, costsTable } from '../rounds.ts'
import { startService } from '../service-process.ts'
import { makeTeams, openBeside, type Team } from '../teams.ts'
import { makeTemporaryDirectory } from '../temporary-directory.ts'

const TEAMS = 200
const CONNECTIONS = 20
const GOALS = { 'all rows by hand': 0.85, 'one insert': 0.5 }
const WORDS = { rating: 5, author: { name: 'Ada Lovelace', email: 'ada@example.com' }, consent: { granted: true } }

/** A visitor's words over many projects and over one, beside baselines that write the same rows, or only the words. fsync is on. */
export async function benchSubmit({ rounds, requests }: { rounds: number; requests: number }): Promise<PartReport> {
  using directory = makeTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api', EARSHOT_TRUST_PROXY: '1' })
  await using database = openBeside(service.address)
  const [lonely, ...teams] = await makeTeams(database, TEAMS + 1)
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
      body: WORDS,
      targets: to.map((team) => ({ method: 'POST', path: path(team), headers: {} })),
    },
  })
  const ours = ({ publicKey }: Team) => `/api/public/v1/projects/${publicKey}/submissions/`
  const allRows = ({ publicKey }: Team) => `/all-rows/${publicKey}/`
  const contenders = [
    contender('service', service, ours),
    contender('all rows by hand', baseline, allRows),
    contender('all rows by hand, second baseline', secondBaseline, allRows),
    contender('one insert', baseline, ({ publicKey }) => `/one-insert/${publicKey}/`),
    contender('service, one team', service, ours, lonely ? [lonely] : []),
  ]
  const costs = await alternate(generator, await findPostgres(database), contenders, rounds)
  const microseconds = (name: string) => costs.get(name)?.microseconds ?? Number.NaN
  const [settings] = await database.client<[{ fsync: string }]>`select current_setting('fsync') as fsync`
  return {
    title: `Public submission over ${TEAMS} projects, ${CONNECTIONS} connections, fsync ${settings.fsync}`,
    findings: [
      ...Object.entries(GOALS).map(([name, goal]): Finding => {
        const ratio = microseconds(name) / microseconds('service')
        return { what: `processor time, ${name} ÷ service`, figure: ratio.toFixed(2), goal: `≥ ${goal}`, met: ratio >= goal }
      }),
      {
        what: 'control: baseline ÷ second baseline',
        figure: (microseconds('all rows by hand') / microseconds('all rows by hand, second baseline')).toFixed(2),
        goal: 'about 1',
        met: null,
      },
      {
        what: 'one team alone',
        figure: `${costs.get('service, one team')?.requestsPerSecond.toFixed(0)} submissions/s`,
        goal: '',
        met: null,
      },
    ],
    details: [costsTable(costs.values())],
  }
}
