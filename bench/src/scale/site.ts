import { randomBytes } from 'node:crypto'
import { type Database, openDatabase } from '@earshot/db'
import { startEmbeddedPostgres } from '@earshot/db/embedded'
import { prepareDatabase } from '@earshot/db/schema'
import { createSecretBox, type SecretBox } from '@earshot/drivers'
import type { Sql } from 'postgres'
import { type Child, startChild } from '../child-process.ts'
import { openPlain } from '../plain-client.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

/** A data directory with what outlives the processes that work on it. */
export interface Site extends AsyncDisposable {
  dataDir: string
  receiver: Child
  /** The URL of the receiver, with a slash at the end. */
  url: string
  secretBox: SecretBox
  startService: () => Promise<ServiceProcess>
  /** Starts PostgreSQL alone, without the service, for some work. `client` inserts without triggers and foreign keys. */
  withPostgres: <Result>(work: (parts: { client: Sql; database: Database }) => Promise<Result>) => Promise<Result>
}

export async function openSite(): Promise<Site> {
  const stack = new AsyncDisposableStack()
  const dataDir = stack.use(createTemporaryDirectory()).path
  const receiver = stack.use(await startChild(new URL('../receiver.ts', import.meta.url)))
  const { url } = await receiver.call<{ url: string }>('start')
  const key = randomBytes(32)
  const environment = {
    EARSHOT_SECRET_KEY: key.toString('base64'),
    EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on',
    EARSHOT_TRUST_PROXY: '1',
    EARSHOT_LOG_LEVEL: 'silent',
  }
  return {
    ...{ dataDir, receiver, url, secretBox: createSecretBox(key) },
    startService: () => startService(dataDir, environment),
    withPostgres: (work) => withPostgres(dataDir, work),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function withPostgres<Result>(
  dataDir: string,
  work: (parts: { client: Sql; database: Database }) => Promise<Result>,
): Promise<Result> {
  const server = await startEmbeddedPostgres({ dataDir })
  await using stack = new AsyncDisposableStack()
  stack.defer(server.stop)
  await prepareDatabase(server.connection)
  const database = openDatabase({ address: server.connection, role: 'earshot_worker', poolSize: 2, applicationName: 'earshot bench' })
  stack.defer(database.close)
  const client = openPlain(server.connection, 1, {
    session_replication_role: 'replica',
    synchronous_commit: 'off',
    work_mem: '256MB',
    maintenance_work_mem: '512MB',
  })
  stack.defer(() => client.end())
  return await work({ client, database })
}
