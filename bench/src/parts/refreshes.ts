import { startChild } from '../child-process.ts'
import { login } from '../credentials.ts'
import { median } from '../figures.ts'
import type { Refreshes, RefreshesResult } from '../refreshes.ts'
import type { PartReport } from '../report.ts'
import { startService } from '../service-process.ts'
import { analyze, createTeams, openBenchDatabase } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const CHAINS = 10
const SECONDS = 4

/** Measures the exchange of refresh tokens, ten at a time, against the bare SQL statement that does it. */
export async function benchRefreshes({ rounds }: { rounds: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  await using generator = await startChild(new URL('../refreshes.ts', import.meta.url))
  const teams = await createTeams(database, CHAINS)
  let chain = (await Promise.all(teams.map((team) => login(service.url, team)))).map(({ refresh }) => refresh)

  const rates = { http: [] as number[], bare: [] as number[] }
  const exchange = async (over: Refreshes['over']) => {
    const result = await generator.call<RefreshesResult>({ over, chain, seconds: SECONDS } satisfies Refreshes)
    chain = result.chain
    return result.perSecond
  }
  await exchange({ url: service.url })
  // As autovacuum would within a minute: the first plans were made for ten rows.
  await analyze(database)
  for (let round = 0; round < Math.ceil(rounds / 2); round += 1) {
    rates.bare.push(await exchange({ address: service.address }))
    // The bare statement creates tokens that the service does not accept, so log in again.
    chain = (await Promise.all(teams.map((team) => login(service.url, team)))).map(({ refresh }) => refresh)
    rates.http.push(await exchange({ url: service.url }))
  }
  return {
    title: `Exchange of refresh tokens, ${CHAINS} at a time, fsync on`,
    findings: [
      { what: 'exchanges/s ÷ the bare statement', figure: (median(rates.http) / median(rates.bare)).toFixed(2), goal: '', met: null },
      { what: 'exchanges', figure: `${median(rates.http).toFixed(0)}/s`, goal: '', met: null },
      { what: 'the bare statement', figure: `${median(rates.bare).toFixed(0)}/s`, goal: '', met: null },
    ],
    details: [],
  }
}
