import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@earshot/db'
import { expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { type PrimaryAndStandby, startPrimaryAndStandby } from '../support/primary-and-standby.ts'
import { startReceiver } from '../support/receiver.ts'
import { openRemoteDatabase } from '../support/remote-database.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { publicSubmission } from './load.ts'

const WRITERS = 8
const WRITABLE_WITHIN_MS = 10_000
const GENEROUS_MS = 120_000

/** What happens to the old primary before the standby is promoted. */
const losses = {
  'is killed': ({ primary }: PrimaryAndStandby) => primary.kill(),
  'becomes read-only and keeps its connections': async ({ primary: { sql } }: PrimaryAndStandby) => {
    await sql`alter system set default_transaction_read_only = on`
    await sql`select pg_reload_conf()`
  },
} as const

test.concurrent.for(Object.keys(losses) as (keyof typeof losses)[])(
  'the primary %s and the standby is promoted under load: writes return within 10 s, and nothing acknowledged is lost',
  { timeout: GENEROUS_MS },
  async (loss) => {
    await using servers = await startPrimaryAndStandby()
    await using receiver = await startReceiver()
    const environment = {
      ...servers.environment,
      EARSHOT_WORKER_CONCURRENCY: '1',
      EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on',
    }
    await using api = await startService({ ...environment, EARSHOT_ROLE: 'api' })
    await using _worker = await startService({ ...environment, EARSHOT_ROLE: 'worker' })
    const database = openDatabase({
      ...{ address: { url: servers.primary.url }, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot fault test' },
    })
    const team = await makeTeam(database)
    await database.close()
    await api.client(team.token).webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
    const writers = startWriters(api, team)
    await until('writes are acknowledged', () => writers.acknowledged.length > 200)

    await losses[loss](servers)
    await until('writes are refused', () => writers.refusals.length > WRITERS)
    await servers.standby.sql`select pg_promote()`
    const promotedAtMs = performance.now()
    await until('writes return', () => writers.acknowledged.some(({ sentAtMs }) => sentAtMs > promotedAtMs), WRITABLE_WITHIN_MS)
    console.log(`${loss}: writes returned ${Math.round(performance.now() - promotedAtMs)} ms after the promotion`)
    const { length: before } = writers.acknowledged
    await until('they keep on', () => writers.acknowledged.length > before + 200)
    await writers.stop()

    expect([...new Set(writers.refusals)]).toEqual([503])
    const stored = await servers.standby.sql<{ id: string }[]>`select id from submissions`
    const ids = new Set(stored.map(({ id }) => id))
    expect(writers.acknowledged.filter(({ id }) => !ids.has(id))).toEqual([])
    const isReceived = () => {
      const received = receiver.requests.map(({ body }) => body.toString()).join()
      return writers.acknowledged.every(({ id }) => received.includes(id))
    }
    await until('the worker delivers all', isReceived, 30_000)
    await servers.standby.sql`select graphile_worker.add_job('purge', '{}'::json)`
    await until('the queue works', async () => (await servers.standby.sql`select from graphile_worker.jobs`).length === 0, 30_000)
  },
)

test('a connection that turns out to be read-only gives 503 and is replaced', async () => {
  await using remote = await openRemoteDatabase()
  const database = openDatabase({
    ...{ address: { url: remote.environment.DATABASE_URL }, role: 'earshot_worker', poolSize: 4, applicationName: 'earshot fault test' },
  })
  const setReadOnly = (state: 'on' | 'off') =>
    remote.asOwner(async (sql) => {
      await sql`set default_transaction_read_only = off`
      await sql.unsafe(`alter database ${remote.address.database} set default_transaction_read_only = ${state}`)
    })
  const write = () => database.run('insert into webhook_workers default values', [])
  await setReadOnly('on')
  // Each connection takes the setting when it is opened.
  await Promise.all(Array.from({ length: 4 }, () => database.run('select pg_sleep(0.1)', [])))
  await setReadOnly('off')
  await expect(write()).rejects.toMatchObject({ code: 'dependency_unavailable' })
  // All connections were opened on the same server.
  for (let turn = 0; turn < 4; turn += 1) await write()
  await database.close()
})

/** Writes as fast as the service responds, through refusals. */
function startWriters(service: ServiceProcess, team: Team) {
  const acknowledged: { id: string; sentAtMs: number }[] = []
  const refusals: number[] = []
  let isStopped = false
  const write = async () => {
    while (!isStopped) {
      const sentAtMs = performance.now()
      const path = `/api/public/v1/projects/${team.publicKey}/submissions/`
      const { status, body } = await service.send('POST', path, { body: publicSubmission() })
      if (status === 201) acknowledged.push({ id: body.id, sentAtMs })
      else {
        refusals.push(status)
        await delay(50)
      }
    }
  }
  const writing = Array.from({ length: WRITERS }, write)
  return {
    ...{ acknowledged, refusals },
    async stop() {
      isStopped = true
      await Promise.all(writing)
    },
  }
}
