import { startChild } from '../child-process.ts'
import { median } from '../figures.ts'
import type { Load, LoadResult } from '../load.ts'
import type { PartReport } from '../report.ts'
import { startService } from '../service-process.ts'
import { makeTeams, openBeside, type Team } from '../teams.ts'
import { makeTemporaryDirectory } from '../temporary-directory.ts'

const AT_ONCE = 64
const GOAL = 0.6

/** Requests of one user are counted in one row: 64 at once of one user, beside 64 of as many users. */
export async function benchHotUser({ rounds, requests }: { rounds: number; requests: number }): Promise<PartReport> {
  using directory = makeTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBeside(service.address)
  const teams = await makeTeams(database, AT_ONCE)
  await using generator = await startChild(new URL('../load.ts', import.meta.url))
  const rate = async (of: Team[]) => {
    const { tookMs } = await generator.ask<LoadResult>(loadOf(service.url, of, requests))
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
    title: `${AT_ONCE} requests at once`,
    findings: [
      { what: 'requests/s of one user ÷ of as many users', figure: ratio.toFixed(2), goal: `≥ ${GOAL}`, met: ratio >= GOAL },
      { what: 'of one user', figure: `${median(rates.one).toFixed(0)}/s`, goal: '', met: null },
      { what: `of ${AT_ONCE} users`, figure: `${median(rates.many).toFixed(0)}/s`, goal: '', met: null },
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
  return { url, connections: AT_ONCE, requests, status: 200, targets }
}
