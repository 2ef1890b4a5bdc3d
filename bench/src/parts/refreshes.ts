import { startChild } from '../child-process.ts'
import { login } from '../credentials.ts'
import { median } from '../figures.ts'
import type { Refreshes, RefreshesResult } from '../refreshes.ts'
import type { PartReport } from '../report.ts'
import { startService } from '../service-process.ts'
import { analyze, makeTeams, openBeside } from '../teams.ts'
import { makeTemporaryDirectory } from '../temporary-directory.ts'

const CHAINS = 10
const SECONDS = 4

/** A refresh token is exchanged for the next pair, ten at once; beside it the statement that does it, bare. */
export async function benchRefreshes({ rounds }: { rounds: number }): Promise<PartReport> {
  using directory = makeTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBeside(service.address)
  await using generator = await startChild(new URL('../refreshes.ts', import.meta.url))
  const teams = await makeTeams(database, CHAINS)
  let chain = (await Promise.all(teams.map((team) => login(service.url, team)))).map(({ refresh }) => refresh)

  const rates = { http: [] as number[], bare: [] as number[] }
  const exchange = async (over: Refreshes['over']) => {
    const result = await generator.ask<RefreshesResult>({ over, chain, seconds: SECONDS } satisfies Refreshes)
    chain = result.chain
    return result.perSecond
  }
  await exchange({ url: service.url })
  // As autovacuum would within its minute: the plans of the first calls were made for ten rows.
  await analyze(database)
  for (let round = 0; round < Math.ceil(rounds / 2); round += 1) {
    rates.bare.push(await exchange({ address: service.address }))
    // What the bare statement made is no token of the service's shape, but its successor by the service is again.
    chain = (await Promise.all(teams.map((team) => login(service.url, team)))).map(({ refresh }) => refresh)
    rates.http.push(await exchange({ url: service.url }))
  }
  return {
    title: `Refresh tokens exchanged, ${CHAINS} at once, fsync on`,
    findings: [
      { what: 'exchanges/s ÷ the bare statement', figure: (median(rates.http) / median(rates.bare)).toFixed(2), goal: '', met: null },
      { what: 'exchanges', figure: `${median(rates.http).toFixed(0)}/s`, goal: '', met: null },
      { what: 'the bare statement', figure: `${median(rates.bare).toFixed(0)}/s`, goal: '', met: null },
    ],
    details: [],
  }
}
