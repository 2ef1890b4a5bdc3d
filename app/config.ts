import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { limits, Plan, sizes } from '@earshot/contracts'
import { readServers } from '@earshot/db'
import {
  createAddressRules,
  type EgressProxy,
  type Mailbox,
  readMailbox,
  readProxyUrl,
  readSmtpUrl,
  readStorageUrl,
  type SmtpServer,
  type StorageLocation,
} from '@earshot/drivers'
import { z } from 'zod'

const SECRET_KEY_BYTES = 32
/** Of one response: a batch of results takes about twice as much at once. */
const MAX_KEPT_BYTES = 1_048_576
/** In the data directory. */
const DEFAULT_STORAGE = 'blobs'
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '::1', '[::1]'])

/** An invalid environment variable; the message is one line that names it. */
export class ConfigError extends Error {}

/** The proxies whose forwarding headers are trusted: none, a number of hops, or the listed networks. */
export type TrustProxy = false | string[] | ((address: string, hop: number) => boolean)

export interface Config {
  port: number
  host: string
  baseUrl: string
  dataDir: string
  /** Where files are stored. */
  storage: StorageLocation
  databaseUrl: string | null
  role: 'api' | 'worker' | 'all'
  secretKey: Uint8Array | null
  defaultPlan: Plan
  maxTeamsPerUser: number
  /** How many public writes an address may send to a project on a day. */
  publicWritesPerDay: number
  /** Whether people can create accounts themselves; otherwise the operator creates them. */
  isSignUpOpen: boolean
  workerConcurrency: number
  /** Whether viewers of videos read the store themselves. */
  redirectsMedia: boolean
  /** How many videos a worker transcodes at the same time. */
  transcodeConcurrency: number
  /** How long the original of a video is kept after its transcode. */
  keepOriginalsDays: number
  webhookAllowNetworks: string[]
  allowInsecureWebhooks: boolean
  /** The proxy through which webhooks leave the network. */
  egressProxy: EgressProxy | null
  webhookBackoffBaseMs: number
  /** How much of a receiver's response body is kept. */
  webhookKeptSuccessBytes: number
  webhookKeptFailureBytes: number
  /** Whether webhooks may go to this machine over plain http, so that the first tour works. */
  localTrial: boolean
  trustProxy: TrustProxy
  rateLimitMultiplier: number
  /** How long a refresh token may be used a second time, while its successor is unused, without revoking its whole family. */
  reuseLeewaySeconds: number
  /** Whether requests of a team run as a role that PostgreSQL's policies restrict to that team. */
  rowLevelSecurity: boolean
  /** The SMTP server and the sender of mail; without it, mail stays in the database. */
  smtp: { server: SmtpServer; from: Mailbox } | null
  metricsToken: string | null
  /** The port on which a worker answers probes; null for none. */
  workerPort: number | null
  logLevel: string
  /** How long the process serves requests after a signal to stop, while /readyz says that it is not ready. */
  shutdownDelayMs: number
}

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)

const toggle = z
  .enum(['', 'on', 'off', 'true', 'false', '1', '0'], 'must be on or off')
  .transform((value) => ['on', 'true', '1'].includes(value))

const Environment = z.object({
  PORT: wholeNumber(0, 65_535).default(8000),
  HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  EARSHOT_BASE_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  EARSHOT_DATA_DIR: z.string().min(1, 'must not be empty').default('./data'),
  EARSHOT_STORAGE_URL: z.string().transform(reading(readStorageUrl)).optional(),
  DATABASE_URL: z
    .string()
    .refine(
      (url) => readServers(url) !== null,
      'must be a postgres:// address, with one or several hosts, and target_session_attrs=read-write if it has that',
    )
    .optional(),
  EARSHOT_ROLE: z.enum(['api', 'worker', 'all'], 'must be api, worker or all').default('all'),
  EARSHOT_SECRET_KEY: z
    .base64('must be base64')
    .transform((value) => Buffer.from(value, 'base64'))
    .refine((key) => key.length === SECRET_KEY_BYTES, `must be ${SECRET_KEY_BYTES} bytes in base64`)
    .optional(),
  EARSHOT_DEFAULT_PLAN: z.enum(Plan.options, `must be one of ${Plan.options.join(', ')}`).default('pro'),
  EARSHOT_MAX_TEAMS_PER_USER: wholeNumber(1, 10_000).default(20),
  EARSHOT_PUBLIC_WRITES_PER_DAY: wholeNumber(1, 1_000_000).default(limits.public_write_day.max),
  EARSHOT_SIGN_UP: toggle.default(true),
  EARSHOT_WORKER_CONCURRENCY: wholeNumber(1, 200).default(10),
  EARSHOT_MEDIA_REDIRECT: toggle.default(false),
  EARSHOT_TRANSCODE_CONCURRENCY: wholeNumber(1, 64).default(1),
  EARSHOT_KEEP_ORIGINALS_DAYS: wholeNumber(0, 3_650).default(30),
  EARSHOT_WEBHOOK_ALLOW_NETWORKS: z
    .string()
    .transform(splitList)
    .refine(areNetworks, 'must be networks such as 10.0.0.0/8, comma-separated')
    .optional(),
  EARSHOT_ALLOW_INSECURE_WEBHOOKS: toggle.optional(),
  EARSHOT_EGRESS_PROXY: z.string().transform(reading(readProxyUrl)).optional(),
  EARSHOT_WEBHOOK_BACKOFF_BASE_MS: wholeNumber(1, 3_600_000).default(30_000),
  EARSHOT_WEBHOOK_KEPT_SUCCESS_BYTES: wholeNumber(0, MAX_KEPT_BYTES).default(sizes.keptSuccessBytes),
  EARSHOT_WEBHOOK_KEPT_FAILURE_BYTES: wholeNumber(0, MAX_KEPT_BYTES).default(sizes.keptFailureBytes),
  EARSHOT_TRUST_PROXY: z.string().transform(readTrustProxy).optional(),
  EARSHOT_RATE_LIMIT_MULTIPLIER: z
    .string()
    .transform(Number)
    .refine((value) => value > 0 && value <= 1_000_000, 'must be a number greater than 0')
    .default(1),
  EARSHOT_OAUTH_REUSE_LEEWAY_SECONDS: wholeNumber(0, 10).default(0),
  EARSHOT_ROW_LEVEL_SECURITY: toggle.default(false),
  EARSHOT_SMTP_URL: z.string().transform(reading(readSmtpUrl)).optional(),
  EARSHOT_MAIL_FROM: z.string().transform(reading(readMailbox)).optional(),
  EARSHOT_METRICS_TOKEN: z.string().min(1, 'must not be empty').optional(),
  EARSHOT_WORKER_PORT: wholeNumber(0, 65_535).optional(),
  EARSHOT_LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug'], 'must be silent, error, warn, info or debug').default('info'),
  EARSHOT_SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 10).default(0),
})

/** Reads the environment. Throws ConfigError with one line that names the variable. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const result = Environment.safeParse(environment)
  if (!result.success) {
    const [issue] = result.error.issues
    throw new ConfigError(`${String(issue?.path[0])} ${issue?.message}`)
  }
  const values = result.data
  if (values.DATABASE_URL && !values.EARSHOT_SECRET_KEY) {
    throw new ConfigError('EARSHOT_SECRET_KEY is required with DATABASE_URL: 32 bytes in base64, the same for every replica')
  }
  const storage = values.EARSHOT_STORAGE_URL
  if (values.EARSHOT_MEDIA_REDIRECT && storage?.kind !== 's3')
    throw new ConfigError('EARSHOT_MEDIA_REDIRECT needs an S3 bucket: set EARSHOT_STORAGE_URL to s3://…')
  const dataDir = resolve(values.EARSHOT_DATA_DIR)
  const baseUrl = (values.EARSHOT_BASE_URL ?? `http://localhost:${values.PORT}`).replace(/\/$/, '')
  return {
    port: values.PORT,
    host: values.HOST,
    baseUrl,
    dataDir,
    storage: storage ?? { kind: 'file', directory: join(dataDir, DEFAULT_STORAGE) },
    databaseUrl: values.DATABASE_URL ?? null,
    role: values.EARSHOT_ROLE,
    secretKey: values.EARSHOT_SECRET_KEY ?? null,
    defaultPlan: values.EARSHOT_DEFAULT_PLAN,
    maxTeamsPerUser: values.EARSHOT_MAX_TEAMS_PER_USER,
    publicWritesPerDay: values.EARSHOT_PUBLIC_WRITES_PER_DAY,
    isSignUpOpen: values.EARSHOT_SIGN_UP,
    workerConcurrency: values.EARSHOT_WORKER_CONCURRENCY,
    redirectsMedia: values.EARSHOT_MEDIA_REDIRECT,
    transcodeConcurrency: values.EARSHOT_TRANSCODE_CONCURRENCY,
    keepOriginalsDays: values.EARSHOT_KEEP_ORIGINALS_DAYS,
    webhookAllowNetworks: values.EARSHOT_WEBHOOK_ALLOW_NETWORKS ?? [],
    allowInsecureWebhooks: values.EARSHOT_ALLOW_INSECURE_WEBHOOKS ?? false,
    egressProxy: values.EARSHOT_EGRESS_PROXY ?? null,
    webhookBackoffBaseMs: values.EARSHOT_WEBHOOK_BACKOFF_BASE_MS,
    webhookKeptSuccessBytes: values.EARSHOT_WEBHOOK_KEPT_SUCCESS_BYTES,
    webhookKeptFailureBytes: values.EARSHOT_WEBHOOK_KEPT_FAILURE_BYTES,
    localTrial: isLocalTrial(values, baseUrl),
    trustProxy: values.EARSHOT_TRUST_PROXY ?? false,
    rateLimitMultiplier: values.EARSHOT_RATE_LIMIT_MULTIPLIER,
    reuseLeewaySeconds: values.EARSHOT_OAUTH_REUSE_LEEWAY_SECONDS,
    rowLevelSecurity: values.EARSHOT_ROW_LEVEL_SECURITY,
    smtp: readSmtp(values),
    metricsToken: values.EARSHOT_METRICS_TOKEN ?? null,
    workerPort: values.EARSHOT_WORKER_PORT ?? null,
    logLevel: values.EARSHOT_LOG_LEVEL,
    shutdownDelayMs: values.EARSHOT_SHUTDOWN_DELAY_SECONDS * 1000,
  }
}

function readSmtp({ EARSHOT_SMTP_URL: server, EARSHOT_MAIL_FROM: from }: z.output<typeof Environment>): Config['smtp'] {
  if (server === undefined) return null
  if (from === undefined) throw new ConfigError('EARSHOT_MAIL_FROM is required with EARSHOT_SMTP_URL: the address that mail is sent from')
  return { server, from }
}

/** The local trial applies while only this machine can reach the service and no setting says what webhooks may reach. */
function isLocalTrial(values: z.output<typeof Environment>, baseUrl: string): boolean {
  const undecided =
    values.EARSHOT_TRUST_PROXY === undefined &&
    values.EARSHOT_WEBHOOK_ALLOW_NETWORKS === undefined &&
    values.EARSHOT_ALLOW_INSECURE_WEBHOOKS === undefined
  return undecided && LOOPBACK_HOSTS.has(values.HOST) && LOOPBACK_HOSTS.has(new URL(baseUrl).hostname)
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

/** Turns an error thrown by `read` into the variable's error. */
function reading<Value>(read: (text: string) => Value) {
  return (text: string, ctx: z.RefinementCtx): Value => {
    try {
      return read(text)
    } catch (error) {
      ctx.addIssue({ code: 'custom', message: (error as Error).message })
      return z.NEVER
    }
  }
}

function areNetworks(networks: string[]): boolean {
  try {
    createAddressRules({ allowNetworks: networks, allowLoopback: false })
    return true
  } catch {
    return false
  }
}

function readTrustProxy(text: string, ctx: z.RefinementCtx): TrustProxy {
  if (text === '') return false
  if (/^\d{1,2}$/.test(text)) {
    const hops = Number(text)
    return (_address, hop) => hop < hops
  }
  const networks = splitList(text)
  if (networks.every((network) => isIP(network.split('/', 1)[0] ?? '') !== 0)) return networks
  ctx.addIssue({ code: 'custom', message: 'must be a number of hops, or addresses and networks, comma-separated' })
  return z.NEVER
}
