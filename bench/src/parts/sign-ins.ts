import { type Child, startChild } from '../child-process.ts'
import { median, quantile } from '../figures.ts'
import type { Finding, PartReport } from '../report.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import type { SignIns, SignInsResult } from '../sign-ins.ts'
import type { Steady, SteadyResult } from '../steady-load.ts'
import { makeTeams, openBeside, PASSWORD } from '../teams.ts'
import { makeTemporaryDirectory } from '../temporary-directory.ts'

const AT_ONCE = 8
const PER_SECOND = 50
const ROUNDS = 3
const GOALS = { p50: 1.2, p99: 3 }

/** Eight people sign in without a stop: how many a second, and what everybody else feels of it. */
export async function benchSignIns({ seconds }: { seconds: number }): Promise<PartReport> {
  using directory = makeTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api' })
  await using database = openBeside(service.address)
  const teams = await makeTeams(database, 50)
  await using people = await startChild(new URL('../sign-ins.ts', import.meta.url))
  await using others = await startChild(new URL('../steady-load.ts', import.meta.url))
  const crowd: SignIns = {
    url: service.url,
    atOnce: AT_ONCE,
    seconds,
    accounts: teams.map(({ ownerEmail }) => ({ email: ownerEmail, password: PASSWORD })),
  }
  await people.ask({ ...crowd, seconds: 1 })

  const idle: number[] = []
  const busy: number[] = []
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    idle.push(...(await askSteadily(others, service, seconds)))
    const [{ perSecond }, took] = await Promise.all([
      people.ask<SignInsResult>({ ...crowd, seconds: seconds + 1 }),
      askSteadily(others, service, seconds),
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
    title: `${AT_ONCE} people sign in without a stop`,
    findings: [
      { what: 'sign-ins', figure: `${median(rates).toFixed(0)}/s`, goal: '', met: null },
      compared('p50', 0.5),
      compared('p99', 0.99),
    ],
    details: [],
  }
}

async function askSteadily(others: Child, { url }: ServiceProcess, seconds: number): Promise<number[]> {
  const question: Steady = { url, path: '/healthz', headers: {}, perSecond: PER_SECOND, seconds }
  return (await others.ask<SteadyResult>(question)).tookMs
}
