import { type Child, startChild } from '../child-process.ts'
import { median, quantile } from '../figures.ts'
import type { Finding, PartReport } from '../report.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import type { SignIns, SignInsResult } from '../sign-ins.ts'
import type { SteadyLoad, SteadyLoadResult } from '../steady-load.ts'
import { createTeams, openBenchDatabase, PASSWORD } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const CONCURRENCY = 8
const PER_SECOND = 50
const ROUNDS = 3
const GOALS = { p50: 1.2, p99: 3 }

/** Measures how many sign-ins a second eight people make, and how much they delay other requests. */
export async function benchSignIns({ seconds }: { seconds: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBenchDatabase(service.address)
  const teams = await createTeams(database, 50)
  await using people = await startChild(new URL('../sign-ins.ts', import.meta.url))
  await using others = await startChild(new URL('../steady-load.ts', import.meta.url))
  const crowd: SignIns = {
    url: service.url,
    concurrency: CONCURRENCY,
    seconds,
    accounts: teams.map(({ ownerEmail }) => ({ email: ownerEmail, password: PASSWORD })),
  }
  await people.call({ ...crowd, seconds: 1 })

  const idle: number[] = []
  const busy: number[] = []
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    idle.push(...(await measureSteadyLoad(others, service, seconds)))
    const [{ perSecond }, took] = await Promise.all([
      people.call<SignInsResult>({ ...crowd, seconds: seconds + 1 }),
      measureSteadyLoad(others, service, seconds),
    ])
    rates.push(perSecond)
    busy.push(...took)
  }
  const compared = (what: 'p50' | 'p99', share: number): Finding => {
    const ratio = quantile(busy, share) / quantile(idle, share)
    const figures = `× ${ratio.toFixed(2)} (${quantile(idle, share).toFixed(1)} → ${quantile(busy, share).toFixed(1)} ms)`
    return {
      what: `a trivial route at ${PER_SECOND}/s, ${what} under sign-ins ÷ idle`,
      figure: figures,
      goal: `≤ ${GOALS[what]}`,
      met: ratio <= GOALS[what],
    }
  }
  return {
    title: `${CONCURRENCY} people sign in continuously`,
    findings: [
      { what: 'sign-ins', figure: `${median(rates).toFixed(0)}/s`, goal: '', met: null },
      compared('p50', 0.5),
      compared('p99', 0.99),
    ],
    details: [],
  }
}

async function measureSteadyLoad(others: Child, { url }: ServiceProcess, seconds: number): Promise<number[]> {
  const load: SteadyLoad = { url, path: '/healthz', headers: {}, perSecond: PER_SECOND, seconds }
  return (await others.call<SteadyLoadResult>(load)).tookMs
}
