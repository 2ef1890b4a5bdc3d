import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { median } from '../figures.ts'
import { openPlain } from '../plain-client.ts'
import { findPostgres } from '../postgres-process.ts'
import { familyMicroseconds, processorMicroseconds } from '../processor-time.ts'
import type { ServiceProcess } from '../service-process.ts'
import { openBenchDatabase } from '../teams.ts'
import { measureBurst } from './dispatch.ts'
import type { Figure } from './figure.ts'
import { type MeasuredTeams, publicKeyOf } from './fill-teams.ts'
import { measureLists } from './lists.ts'
import { measurePartitions } from './partitions.ts'
import { measurePurge } from './purge.ts'
import { measureRestart } from './restarts.ts'
import type { Site } from './site.ts'
import type { Sizes } from './sizes.ts'
import { startWrites, tookMs, type WriteLoad } from './write-load.ts'

const SETTLE_MS = 3_000
const WRITTEN_TEAMS = 200

/** What is measured, and for which time: what it uses up is there once for each. */
interface Round {
  sizes: Sizes
  teams: MeasuredTeams
  round: number
}

/** Measures the service, api and worker in one process, on a filled database. */
export async function measureService(site: Site, { sizes, teams, round }: Round): Promise<Figure[]> {
  const starts: number[] = []
  for (let run = 0; run < sizes.starts; run += 1) {
    await using service = await site.startService()
    starts.push(service.readyAfterMs)
  }
  const figures: Figure[] = [{ what: 'start until ready', value: median(starts) / 1000, unit: 's' }]
  let service = await site.startService()
  try {
    figures.push(...(await measureQuiet(site, service, { sizes, teams, round })))
    const url = () => service.url
    await using load = startWrites(url, keysOf(sizes))
    figures.push(...(await measureBesideWrites(service, load, { sizes, teams, round })))
    await site.receiver.call('forget')
    const killPostgres = await killerOfPostgres(service)
    figures.push(...(await measureRestart('PostgreSQL', site, { load, kill: killPostgres })))
    await delay(sizes.loadSeconds * 1000)
    await site.receiver.call('forget')
    const killService = async () => {
      process.kill(service.pid, 'SIGKILL')
      service = await site.startService()
    }
    figures.push(...(await measureRestart('the service', site, { load, kill: killService })))
  } finally {
    await service[Symbol.asyncDispose]()
  }
  return figures
}

async function measureQuiet(site: Site, service: ServiceProcess, { sizes, teams }: Round): Promise<Figure[]> {
  const idle = await measureIdleLoad(service, sizes)
  return withClient(service, async (client) => [
    ...idle,
    ...(await measureLists(service, client, { teams, runs: sizes.runs })),
    ...(await measureBurst(site, client, sizes)),
  ])
}

async function measureBesideWrites(service: ServiceProcess, load: WriteLoad, { sizes, teams, round }: Round): Promise<Figure[]> {
  const team = teams.purged[round]
  if (!team) throw new Error('Each round purges a team of its own.')
  await delay(sizes.loadSeconds * 1000)
  // Throws early when writes fail, for what follows takes long.
  tookMs(load.writes, { fromMs: 0 })
  return withClient(service, async (client) => [
    ...(await measurePurge(client, load, { team, loadSeconds: sizes.loadSeconds })),
    ...(await measurePartitions(service.address, client, { writes: load.writes, round })),
  ])
}

async function measureIdleLoad({ pid, address }: ServiceProcess, { idleSeconds }: Sizes): Promise<Figure[]> {
  await using database = openBenchDatabase(address)
  const postgresPid = await findPostgres(database)
  await delay(SETTLE_MS)
  const before = { node: processorMicroseconds(pid), postgres: familyMicroseconds(postgresPid) }
  await delay(idleSeconds * 1000)
  const perSecond = (microseconds: number) => microseconds / 1000 / idleSeconds
  return [
    { what: 'idle load of the service', value: perSecond(processorMicroseconds(pid) - before.node), unit: 'ms/s' },
    { what: 'idle load of PostgreSQL', value: perSecond(familyMicroseconds(postgresPid) - before.postgres), unit: 'ms/s' },
  ]
}

async function killerOfPostgres({ address }: ServiceProcess): Promise<() => Promise<void>> {
  await using database = openBenchDatabase(address)
  const pid = await findPostgres(database)
  return async () => void process.kill(pid, 'SIGKILL')
}

/** The public keys of teams over the whole range of sizes. */
function keysOf({ teams, attempts }: Sizes): string[] {
  const others = teams - 2 - attempts.length
  return Array.from({ length: WRITTEN_TEAMS }, (_, index) => publicKeyOf(2 + Math.floor((index * others) / WRITTEN_TEAMS)))
}

async function withClient<Result>({ address }: ServiceProcess, work: (client: Sql) => Promise<Result>): Promise<Result> {
  const client = openPlain(address, 1)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
