import { type Child, startChild } from '../child-process.ts'
import { findPostgres } from '../postgres-process.ts'
import type { PartReport } from '../report.ts'
import { alternate, type Contender, costsTable, ratioOf } from '../rounds.ts'
import { startService } from '../service-process.ts'
import { createTeams, fillWithSubmissions, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const TEAMS = 200
/** What a list returns to an agent unless it asks for more. */
const PAGE = 10
const GOAL = 1.5
const MODERN = '2026-07-28'
const eras = ['modern', 'legacy'] as const

/** Measures a call of a tool, in both eras of the protocol, against the same request over REST. */
export async function benchMcp({ rounds, requests }: { rounds: number; requests: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  const teams = await createTeams(database, TEAMS)
  await fillWithSubmissions(database)
  await using generator: Child = await startChild(new URL('../load.ts', import.meta.url))

  const { pid, url } = service
  const contender = (name: string, targetOf: (team: Team) => Contender['load']['targets'][number]): Contender => ({
    name,
    pid,
    load: { url, connections: 10, requests, status: 200, targets: teams.map(targetOf) },
  })
  const contenders = [contender('REST', overRest), ...eras.map((era) => contender(`MCP, ${era}`, (team) => overMcp(team, era)))]
  const costs = await alternate(generator, await findPostgres(database), contenders, rounds)
  return {
    title: `List of ${PAGE} submissions by an agent`,
    findings: eras.map((era) => {
      const ratio = ratioOf(costs, [`MCP, ${era}`], 'REST')
      return { what: `processor time, MCP ÷ REST, ${era} era`, figure: ratio.toFixed(2), goal: `≤ ${GOAL}`, met: ratio <= GOAL }
    }),
    details: [costsTable(costs.values())],
  }
}

function overRest({ id, project_id, token }: Team) {
  const path = `/api/v1/teams/${id}/projects/${project_id}/submissions/?limit=${PAGE}`
  return { method: 'GET' as const, path, headers: { authorization: `Bearer ${token}` } }
}

function overMcp({ id, project_id, token }: Team, era: (typeof eras)[number]) {
  const isModern = era === 'modern'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'submissions_list', arguments: { team_id: id, project_id, limit: PAGE }, ...(isModern && { _meta: meta }) }
  return {
    method: 'POST' as const,
    path: '/mcp',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': isModern ? MODERN : '2025-11-25',
      ...(isModern && { 'mcp-method': 'tools/call', 'mcp-name': 'submissions_list' }),
    },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  }
}
