import { createWidget, type Database } from '@earshot/db'
import { type Child, startChild } from '../child-process.ts'
import { findPostgres } from '../postgres-process.ts'
import type { PartReport } from '../report.ts'
import { alternate, type Contender, costsTable, ratioOf } from '../rounds.ts'
import { startService } from '../service-process.ts'
import { analyze, createTeams, fillWithSubmissions, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const TEAMS = 50
const ITEMS = 20
const GOAL = 0.5

interface Shown {
  path: string
  etag: string
}

/** Measures a widget of 20 items beside the same one unchanged, and beside the smallest public read. */
export async function benchWidget({ rounds, requests }: { rounds: number; requests: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  const teams = await createTeams(database, TEAMS)
  await fillWithSubmissions(database)
  await database.client`update submissions set state = 'approved'`
  await analyze(database)
  const shown = await Promise.all(teams.map((team) => show(service.url, database, team)))
  await using generator: Child = await startChild(new URL('../load.ts', import.meta.url))

  const contender = (name: string, status: number, targets: Contender['load']['targets']): Contender => ({
    name,
    pid: service.pid,
    load: { url: service.url, connections: 10, requests, status, targets },
  })
  const costs = await alternate(
    generator,
    await findPostgres(database),
    [
      contender(
        'widget',
        200,
        shown.map(({ path }) => ({ method: 'GET', path, headers: {} })),
      ),
      contender(
        'unchanged',
        304,
        shown.map(({ path, etag }) => ({ method: 'GET', path, headers: { 'if-none-match': etag } })),
      ),
      contender(
        'project',
        200,
        teams.map(({ publicKey }) => ({ method: 'GET', path: `/api/public/v1/projects/${publicKey}/`, headers: {} })),
      ),
    ],
    rounds,
  )
  const ratio = ratioOf(costs, ['unchanged'], 'widget')
  return {
    title: `A widget of ${ITEMS} items`,
    findings: [{ what: 'processor time, unchanged ÷ widget', figure: ratio.toFixed(2), goal: `≤ ${GOAL}`, met: ratio <= GOAL }],
    details: [costsTable(costs.values())],
  }
}

/** Creates a widget of a team's project, and reads it once. */
async function show(url: string, database: Database, { id, project_id }: Team): Promise<Shown> {
  const actor = { userId: null, credentialId: null, credentialKind: 'bench', ip: null }
  const fields = { name: 'Bench', layout: 'wall', max_items: ITEMS } as const
  const widget = await createWidget(database, actor, { team_id: id, project_id }, fields)
  const path = `/api/public/v1/widgets/${widget.id}/`
  const response = await fetch(url + path)
  const { items } = (await response.json()) as { items: unknown[] }
  if (items.length !== ITEMS) throw new Error(`The widget shows ${items.length} items.`)
  return { path, etag: response.headers.get('etag') ?? '' }
}
