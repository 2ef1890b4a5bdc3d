import { randomBytes } from 'node:crypto'
import { type Database, openDatabase } from '@earshot/db'
import { startEmbeddedPostgres } from '@earshot/db/embedded'
import { prepareDatabase } from '@earshot/db/schema'
import { makeDataDir } from '../../support/data-dir.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts'
import { makeTeam, type Team } from '../../support/people.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Recorder, startRecorder } from './recorder.ts'

const TEAMS = 3

/** Settings of processes that send to the receiver of a test. */
export const SENDING = {
  EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
  EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on',
  // Eight attempts outlast any absence of the receiver.
  EARSHOT_WEBHOOK_BACKOFF_BASE_MS: '200',
  EARSHOT_LOG_LEVEL: 'warn',
}

/** An api process and two workers on a PostgreSQL of their own, teams with endpoints, and one receiver. */
export interface DurabilityFixture {
  cluster: Awaited<ReturnType<typeof startEmbeddedPostgres>>
  /** The proxy that the processes connect through. */
  proxy: DatabaseProxy
  /** The test’s own connection, past the proxy. */
  database: Database
  fleet: Fleet
  recorder: Recorder
  teams: Team[]
}

export async function openDurabilityFixture(stack: AsyncDisposableStack): Promise<DurabilityFixture> {
  const dataDir = stack.use(makeDataDir())
  const cluster = await startEmbeddedPostgres({ dataDir: dataDir.path })
  stack.defer(cluster.stop)
  await prepareDatabase(cluster.connection)
  const database = openDatabase({
    ...{ address: cluster.connection, role: 'earshot_worker', poolSize: 2, applicationName: 'earshot fault test' },
  })
  stack.defer(database.close)
  const proxy = stack.use(await startDatabaseProxy(cluster.connection))
  const recorder = stack.use(await startRecorder())
  const environment = { DATABASE_URL: proxy.url, EARSHOT_SECRET_KEY: randomBytes(32).toString('base64') }
  const fleet = stack.use(await startFleet({ ...SENDING, ...environment }, ['api', 'worker', 'worker']))
  return { cluster, proxy, database, fleet, recorder, teams: await makeTeams(database, { fleet, recorder }) }
}

/** Makes teams whose endpoints, one for each and another one, are all at the receiver. */
export async function makeTeams(database: Database, { fleet, recorder }: { fleet: Fleet; recorder: Recorder }): Promise<Team[]> {
  const teams = await Promise.all(Array.from({ length: TEAMS }, () => makeTeam(database)))
  const [first] = teams
  for (const team of teams) await register(fleet, team, `${recorder.url}/all`, ['*'])
  if (first) await register(fleet, first, `${recorder.url}/approved`, ['submission.approved'])
  return teams
}

async function register(fleet: Fleet, { id, token }: Team, url: string, events: ['*'] | ['submission.approved']): Promise<void> {
  await fleet.apis()[0]?.client(token).webhooks.create({ team_id: id, url, events })
}
