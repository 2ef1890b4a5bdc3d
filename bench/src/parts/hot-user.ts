import { startChild } from '../child-process.ts'
import { median } from '../figures.ts'
import type { Load, LoadResult } from '../load.ts'
import type { PartReport } from '../report.ts'
import { startService } from '../service-process.ts'
import { createTeams, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const CONCURRENCY = 64
const GOAL = 0.6

/** Measures 64 concurrent requests of one user, which are counted in one row, against those of 64 users. */
export async function benchHotUser({ rounds, requests }: { rounds: number; requests: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  const teams = await createTeams(database, CONCURRENCY)
  await using generator = await startChild(new URL('../load.ts', import.meta.url))
  const rate = async (of: Team[]) => {
    const { tookMs } = await generator.call<LoadResult>(loadOf(service.url, of, requests))
    return (requests / tookMs) * 1000
  }

  const ratios: number[] = []
  const rates = { one: [] as number[], many: [] as number[] }
  await rate(teams)
  await rate(teams.slice(0, 1))
  for (let round = 0; round < rounds; round += 1) {
    const many = await rate(teams)
    const one = await rate(teams.slice(0, 1))
    rates.one.push(one)
    rates.many.push(many)
    ratios.push(one / many)
  }
  const ratio = median(ratios)
  return {
    title: `${CONCURRENCY} concurrent requests`,
    findings: [
      { what: 'requests/s, one user ÷ many users', figure: ratio.toFixed(2), goal: `≥ ${GOAL}`, met: ratio >= GOAL },
      { what: 'one user', figure: `${median(rates.one).toFixed(0)}/s`, goal: '', met: null },
      { what: `${CONCURRENCY} users`, figure: `${median(rates.many).toFixed(0)}/s`, goal: '', met: null },
    ],
    details: [],
  }
}

function loadOf(url: string, teams: Team[], requests: number): Load {
  const targets = teams.map(({ id, token }) => ({
    method: 'GET' as const,
    path: `/api/v1/teams/${id}/`,
    headers: { authorization: `Bearer ${token}` },
  }))
  return { url, connections: CONCURRENCY, requests, status: 200, targets }
}
