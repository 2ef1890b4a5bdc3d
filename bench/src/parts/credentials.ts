import { startBaseline } from '../baseline-process.ts'
import { startChild } from '../child-process.ts'
import { createCredentials, type SignedInTeam } from '../credentials.ts'
import { findPostgres } from '../postgres-process.ts'
import type { Finding, PartReport } from '../report.ts'
import { alternate, type Contender, costsTable, ratioOf } from '../rounds.ts'
import { startService } from '../service-process.ts'
import { createTeams, fillWithSubmissions, openBenchDatabase } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const TEAMS = 100
const PAGE = 25
const GOAL = 0.75
const KINDS = ['oauth2', 'jwt', 'session'] as const

/** Measures the authenticated page with each other kind of credential against the baseline, which looks up the same kind. */
export async function benchCredentials({ rounds, requests }: { rounds: number; requests: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  const teams = await createCredentials(service.url, database, await createTeams(database, TEAMS))
  await fillWithSubmissions(database)
  await using baseline = await startBaseline(service.address)
  await using generator = await startChild(new URL('../load.ts', import.meta.url))

  const contenders = KINDS.flatMap((kind) =>
    (['service', 'baseline'] as const).map((name): Contender => {
      const { pid, url } = name === 'service' ? service : baseline
      return { name: `${name}, ${kind}`, pid, load: loadOf(url, teams, { kind, requests }) }
    }),
  )
  const costs = await alternate(generator, await findPostgres(database), contenders, rounds)
  return {
    title: `Authenticated list of ${PAGE} submissions, by kind of credential`,
    findings: KINDS.map((kind): Finding => {
      const ratio = ratioOf(costs, [`baseline, ${kind}`], `service, ${kind}`)
      return { what: `processor time, baseline ÷ service, ${kind}`, figure: ratio.toFixed(2), goal: `≥ ${GOAL}`, met: ratio >= GOAL }
    }),
    details: [costsTable(costs.values())],
  }
}

function loadOf(
  url: string,
  teams: SignedInTeam[],
  { kind, requests }: { kind: (typeof KINDS)[number]; requests: number },
): Contender['load'] {
  const targets = teams.map(({ id, project_id, headers }) => ({
    method: 'GET' as const,
    path: `/api/v1/teams/${id}/projects/${project_id}/submissions/?limit=${PAGE}`,
    headers: headers[kind],
  }))
  return { url, connections: 10, requests, status: 200, targets }
}
