import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { limits } from '@earshot/contracts'
import { type Database, openDatabase, receiveSubmission } from '@earshot/db'
import { startEmbeddedPostgres } from '@earshot/db/embedded'
import { prepareDatabase } from '@earshot/db/schema'
import { quantile } from '../figures.ts'
import { type Finding, type PartReport, table } from '../report.ts'
import { createTeams, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const CALLERS = 120
const HONEST = 4
const FLOOD_PAUSE_MS = 10
const DISTINCT = 1_000_000
const ADDRESSES = [8, 80, 1_000]
const TEAMS = 200
const REPLICAS = 2
const GENEROUS = { max: 1_000_000_000, windowSeconds: 3600 }
/** The least share of the rate of distinct addresses, and the most that a flood may slow others. */
const GOALS = { share: 0.8, slowdown: 3 }

interface Load {
  replicas: Database[]
  teams: Team[]
  addresses: number
  limit: { max: number; windowSeconds: number }
}

let number = 0

/** Measures visitors of few and many addresses who write at once, through one and two pools, to one team and to many. fsync is on. */
export async function benchVisitors({ visitorSeconds }: { visitorSeconds: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  const server = await startEmbeddedPostgres({ dataDir: directory.path })
  await using stack = new AsyncDisposableStack()
  stack.defer(server.stop)
  await prepareDatabase(server.connection)
  const replicas = Array.from({ length: REPLICAS }, () =>
    openDatabase({ address: server.connection, role: 'earshot_worker', poolSize: 5, applicationName: 'earshot bench' }),
  )
  for (const replica of replicas) stack.defer(replica.close)
  const [database] = replicas
  if (!database) throw new Error('There is at least one replica.')
  const teams = await createTeams(database, TEAMS)
  await liftQuota(database)
  const ms = visitorSeconds * 1000
  const rows: string[][] = []
  const findings: Finding[] = []
  for (const count of [1, REPLICAS]) {
    for (const to of [teams.slice(0, 1), teams]) {
      const base = { replicas: replicas.slice(0, count), teams: to, limit: GENEROUS }
      const what = `${count} replica${count > 1 ? 's' : ''}, ${to.length} team${to.length > 1 ? 's' : ''}`
      const rates = await ratesOf(base, ms)
      rows.push([what, ...rates.map((rate) => rate.toFixed(0))])
      const share = Math.min(...rates.slice(0, -1)) / (rates.at(-1) ?? Number.NaN)
      findings.push({
        what: `${what}: least rate ÷ rate of distinct addresses`,
        figure: share.toFixed(2),
        goal: `≥ ${GOALS.share}`,
        met: share >= GOALS.share,
      })
    }
  }
  const slowdown = await slowdownOf({ replicas, teams: teams.slice(0, 1), addresses: 8, limit: limits.public_write }, ms)
  const ratio = slowdown.flood / slowdown.idle
  const text = `${slowdown.idle.toFixed(1)} ms, beside the flood ${slowdown.flood.toFixed(1)} ms`
  findings.push({
    what: `p99 of others beside eight flooding addresses ÷ p99 without (${text})`,
    figure: ratio.toFixed(2),
    goal: `≤ ${GOALS.slowdown}`,
    met: ratio <= GOALS.slowdown,
  })
  const [found] = await database.run<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
    [],
  )
  findings.push({ what: 'deadlocks', figure: String(found?.deadlocks), goal: '0', met: found?.deadlocks === 0 })
  return {
    title: `Visitors who write at once, ${CALLERS} callers, ${visitorSeconds} s each, through pools without HTTP; a flood pauses ${FLOOD_PAUSE_MS} ms`,
    findings,
    details: [table(['submissions/s by addresses', ...ADDRESSES.map(String), 'distinct'], rows)],
  }
}

/** No run may end at the quota: refusing is cheaper than storing. Plans belong to their owner. */
async function liftQuota(database: Database): Promise<void> {
  await database.client.begin(async (tx) => {
    await tx`set local role none`
    await tx`update plans set quotas = quotas || '{"submissions": 1000000000}'`
  })
}

/** The rates for each number of addresses, measured in turn, the first time to warm up. */
async function ratesOf(load: Omit<Load, 'addresses'>, ms: number): Promise<number[]> {
  await rateOf({ ...load, addresses: DISTINCT }, ms / 4)
  const rates: number[] = []
  for (const addresses of [...ADDRESSES, DISTINCT]) rates.push(await rateOf({ ...load, addresses }, ms))
  return rates
}

async function rateOf(load: Load, ms: number): Promise<number> {
  const until = performance.now() + ms
  let stored = 0
  const work = async () => {
    while (performance.now() < until) {
      await send(load, { address: String(randomInt(load.addresses)) })
      stored += 1
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, work))
  return (stored * 1000) / ms
}

/** The p99 of visitors of distinct addresses in milliseconds, alone and while other addresses exceed their limit. */
async function slowdownOf(load: Load, ms: number): Promise<{ idle: number; flood: number }> {
  const idle = await honestP99(load, ms)
  let isOver = false
  const flood = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      await send(load, { address: `flood ${number % load.addresses}` })
      // Without a pause the callers themselves take both processors from the others.
      await setTimeout(FLOOD_PAUSE_MS)
    }
  })
  const beside = await honestP99(load, ms)
  isOver = true
  await Promise.all(flood)
  return { idle, flood: beside }
}

async function honestP99(load: Load, ms: number): Promise<number> {
  const until = performance.now() + ms
  const tookMs: number[] = []
  const work = async () => {
    while (performance.now() < until) {
      const begunMs = performance.now()
      const { id } = await send(load, { address: `honest ${number}` })
      if (id === null) throw new Error('An honest visitor was refused.')
      tookMs.push(performance.now() - begunMs)
    }
  }
  await Promise.all(Array.from({ length: HONEST }, work))
  return quantile(tookMs, 0.99)
}

function send({ replicas, teams, limit }: Load, { address }: { address: string }) {
  number += 1
  const [replica, team] = [replicas[number % replicas.length], teams[number % teams.length]]
  if (!replica || !team) throw new Error('A load needs a replica and a team.')
  return receiveSubmission(replica, {
    publicAccess: { publicKey: team.publicKey, subject: `bench:${limit.max}:${address}`, address, limit },
    fields: { kind: 'text', channel: 'public', body: `Words ${number}`, author_name: 'Ada', consent_granted: true },
    revokeTokenHash: randomBytes(32),
    fingerprint: randomBytes(32),
  })
}
