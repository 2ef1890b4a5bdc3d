import { startBaseline } from '../baseline-process.ts'
import { type Child, startChild } from '../child-process.ts'
import { findPostgres } from '../postgres-process.ts'
import type { PartReport } from '../report.ts'
import { alternate, type Contender, costsTable, ratioOf } from '../rounds.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import { createTeams, fillWithSubmissions, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const TEAMS = 200
const PAGE = 25
const GOAL = 0.75

/** Measures an authenticated page of 25 submissions against the baseline, which looks up the token and reads the page. */
export async function benchList({ rounds, requests }: { rounds: number; requests: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  const teams = await createTeams(database, TEAMS)
  await fillWithSubmissions(database)
  await using baseline = await startBaseline(service.address)
  await using secondBaseline = await startBaseline(service.address)
  await using generator: Child = await startChild(new URL('../load.ts', import.meta.url))
  await requireSameResponse(service, baseline, teams)

  const contender = (name: string, { pid, url }: { pid: number; url: string }): Contender => ({
    name,
    pid,
    load: loadOf(url, teams, requests),
  })
  const contenders = [contender('service', service), contender('baseline', baseline), contender('second baseline', secondBaseline)]
  const costs = await alternate(generator, await findPostgres(database), contenders, rounds)
  const ratio = ratioOf(costs, ['baseline', 'second baseline'], 'service')
  return {
    title: `Authenticated list of ${PAGE} submissions`,
    findings: [
      { what: 'processor time, baseline ÷ service', figure: ratio.toFixed(2), goal: `≥ ${GOAL}`, met: ratio >= GOAL },
      {
        what: 'control: baseline ÷ second baseline',
        figure: ratioOf(costs, ['baseline'], 'second baseline').toFixed(2),
        goal: 'about 1',
        met: null,
      },
    ],
    details: [costsTable(costs.values())],
  }
}

function pathOf({ id, project_id }: Team): string {
  return `/api/v1/teams/${id}/projects/${project_id}/submissions/?limit=${PAGE}`
}

function loadOf(url: string, teams: Team[], requests: number): Contender['load'] {
  const targets = teams.map((team) => ({ method: 'GET' as const, path: pathOf(team), headers: { authorization: `Bearer ${team.token}` } }))
  return { url, connections: 10, requests, status: 200, targets }
}

/** Throws unless both return the same response: a baseline that did less would prove nothing. */
async function requireSameResponse(service: ServiceProcess, baseline: { url: string }, [team]: Team[]): Promise<void> {
  if (!team) return
  const [first, second] = await Promise.all(
    [service, baseline].map(async ({ url }) => {
      const response = await fetch(url + pathOf(team), { headers: { authorization: `Bearer ${team.token}` } })
      return response.text()
    }),
  )
  if (first !== second) throw new Error(`The response of the baseline differs:\n${first}\n${second}`)
}
