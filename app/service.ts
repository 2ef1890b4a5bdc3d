import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { contracts } from '@earshot/contracts'
import { type DatabaseAddress, openDatabase, openTeamDatabase } from '@earshot/db'
import { prepareDatabase } from '@earshot/db/schema'
import {
  type BlobStore,
  createBlobStoreHealth,
  createDatabaseMail,
  createSecretBox,
  createSmtpMail,
  openBlobStore,
  signedOrigin,
} from '@earshot/drivers'
import { startWorker, type Worker } from '@earshot/jobs'
import { buildApp, buildProbeApp, createLog, type Log } from '@earshot/server'
import { webFolder } from '@earshot/web/build'
import { Registry } from 'prom-client'
import { buildMissingPages } from './build-pages.ts'
import type { Config } from './config.ts'
import { keepPartitions } from './partitions.ts'
import { createReceiverRules, type ReceiverRules } from './receivers.ts'
import { openStore } from './store.ts'

/** More connections than processors only cool the caches; a few more can wait for the disk meanwhile. */
const API_POOL = Math.min(16, Math.max(5, 2 * availableParallelism() + 1))
/** A little longer than the ten seconds that a request waits for its idempotency key. */
const STATEMENT_TIMEOUT_MS = 10_500
/** The longest wait for a connection of work without a request. */
const WAIT_MS = 3_000
/** A scrape reads two figures at once, beside a readiness probe. */
const PROBES_POOL = 2
/** From the signal to the end of the process: less than the 30 seconds that process managers usually give. */
const SHUTDOWN_MS = 25_000
/** The end of that time, for what follows the drains: aborted work is written, connections and PostgreSQL are closed. */
const CLOSING_MS = 10_000

export interface Service {
  /** The address it listens on, with the assigned port; null for a worker without a port. */
  url: string | null
  /** Shuts down without losing an accepted request or a running job. */
  stop: () => Promise<void>
}

/** Starts the parts that the configuration names, in order. If a part fails, the parts before it are stopped again. */
export async function startService(config: Config, log: Log = createLog({ level: config.logLevel })): Promise<Service> {
  const parts: Parts = { isStopping: false, drains: [], undos: [] }
  const stop = (delayMs: number) => stopParts(parts, log, { delayMs, timeoutMs: SHUTDOWN_MS })
  try {
    return { url: await start(config, log, parts), stop: () => stop(config.role === 'worker' ? 0 : config.shutdownDelayMs) }
  } catch (error) {
    await stop(0)
    throw error
  }
}

/** The steps of a stop: all drains at once, so that they share one timeout, then the undos, last first. */
interface Parts {
  isStopping: boolean
  drains: (() => Promise<unknown>)[]
  undos: ((limits: { timeoutMs: number }) => Promise<unknown>)[]
}

async function stopParts(parts: Parts, log: Log, { delayMs, timeoutMs }: { delayMs: number; timeoutMs: number }): Promise<void> {
  const endMs = performance.now() + timeoutMs
  parts.isStopping = true
  // Load balancers see that it is not ready, and send their requests elsewhere, before it stops listening.
  await delay(delayMs)
  const drained = await Promise.allSettled(parts.drains.splice(0).map((drain) => drain()))
  for (const outcome of drained) if (outcome.status === 'rejected') log.error({ err: outcome.reason }, 'A part failed to stop')
  for (const undo of parts.undos.splice(0).reverse()) await undo({ timeoutMs: Math.max(0, endMs - performance.now()) })
}

async function start(config: Config, log: Log, parts: Parts): Promise<string | null> {
  const { drains, undos } = parts
  const drainMs = SHUTDOWN_MS - CLOSING_MS - config.shutdownDelayMs
  const store = await openStore(config, (line) => log.info(line))
  undos.push(store.close)
  await prepareDatabase(store.address, (line) => log.warn(line))
  undos.push(keepPartitions({ address: store.address, log }))
  const blobStore = await openBlobStore(config.storage)
  undos.push(blobStore.close)

  const secretBox = createSecretBox(store.secretKey)
  const metrics = new Registry()
  const receivers = createReceiverRules(config)
  const version = await readVersion()
  const worker =
    config.role === 'api'
      ? null
      : await startWorker({
          ...workerOptions(config, receivers, version),
          ...{ log, secretBox, blobStore, address: store.address, registry: metrics },
        })
  if (worker) drains.push(() => worker.stop({ timeoutMs: drainMs }))
  if (config.role === 'worker' && config.workerPort === null) return null

  const isApi = config.role !== 'worker'
  const pool = poolOptions(store.address, isApi)
  const database = openDatabase({ ...pool, role: 'earshot_worker', ...(worker && { claims: worker.claims }) })
  const teamDatabase = isApi && config.rowLevelSecurity ? openTeamDatabase(pool) : null
  undos.push(() => Promise.all([database.close(), teamDatabase?.close()]))
  const probes = {
    ...{ database, log, metrics, metricsToken: config.metricsToken, drainMs },
    notReady: watchReadiness({ parts, worker, blobStore, log }),
  }
  if (!isApi) {
    const app = buildProbeApp(probes)
    drains.push(() => app.close())
    return app.listen({ host: config.host, port: config.workerPort ?? 0 })
  }
  const app = await buildApp({
    ...probes,
    contracts,
    teamDatabase,
    services: { ...servicesOf(config), secretBox, blobStore, checkReceiver: receivers.check },
    rateLimitMultiplier: config.rateLimitMultiplier,
    redirectsMedia: config.redirectsMedia,
    mediaOrigin: config.redirectsMedia && config.storage.kind === 's3' ? signedOrigin(config.storage) : null,
    webFolder,
    checkOutput: false,
    onCommit: (teamId) => worker?.nudge(teamId),
    baseUrl: config.baseUrl,
    version,
    trustProxy: config.trustProxy,
  })
  drains.push(() => app.close())
  const url = await app.listen({ host: config.host, port: config.port })
  undos.push(buildMissingPages(log))
  return url
}

interface ReadinessOptions {
  parts: Parts
  worker: Worker | null
  blobStore: BlobStore
  log: Log
}

/** Returns a function that names what keeps the process from being ready, for people. */
function watchReadiness({ parts, worker, blobStore, log }: ReadinessOptions): () => Promise<string[]> {
  const isStorageHealthy = createBlobStoreHealth(blobStore, { onFailure: (err) => log.warn({ err }, 'The storage is not ready') })
  return async () => [
    ...(parts.isStopping ? ['the process is shutting down'] : []),
    ...(worker?.isHealthy() === false ? ['the queue'] : []),
    ...((await isStorageHealthy()) ? [] : ['the storage']),
  ]
}

function poolOptions(address: DatabaseAddress, isApi: boolean) {
  return {
    address,
    poolSize: isApi ? API_POOL : PROBES_POOL,
    applicationName: isApi ? 'earshot api' : 'earshot worker probes',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    waitMs: WAIT_MS,
  }
}

function workerOptions(config: Config, receivers: ReceiverRules, version: string) {
  return {
    concurrency: config.workerConcurrency,
    mailDriver: config.smtp ? createSmtpMail(config.smtp) : createDatabaseMail(),
    baseUrl: config.baseUrl,
    transcoding: {
      concurrency: config.transcodeConcurrency,
      folder: join(config.dataDir, 'transcodes'),
      keepOriginalsDays: config.keepOriginalsDays,
    },
    webhooks: {
      allowNetworks: config.webhookAllowNetworks,
      allowInsecure: config.allowInsecureWebhooks,
      localTrial: config.localTrial,
      proxy: config.egressProxy,
      ...receivers.sending,
      version,
      backoffBaseMs: config.webhookBackoffBaseMs,
      keptSuccessBytes: config.webhookKeptSuccessBytes,
      keptFailureBytes: config.webhookKeptFailureBytes,
    },
  }
}

function servicesOf({ defaultPlan, maxTeamsPerUser, publicWritesPerDay, isSignUpOpen, reuseLeewaySeconds }: Config) {
  return { defaultPlan, maxTeamsPerUser, publicWritesPerDay, isSignUpOpen, reuseLeewaySeconds }
}

async function readVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  return (manifest as { version: string }).version
}
