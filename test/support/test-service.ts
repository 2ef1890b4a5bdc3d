import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { contracts } from '@earshot/contracts'
import { type Client, createClient } from '@earshot/contracts/client'
import { type BlobStore, checkWebhookUrl, createAddressRules, createOwnAddresses, createSecretBox, type SecretBox } from '@earshot/drivers'
import { type AppOptions, buildApp, createLog } from '@earshot/server'
import { webFolder } from '@earshot/web/build'
import { Registry } from 'prom-client'
import { expect } from 'vitest'
import { createSecrets, dumpDatabase, type Secrets } from './secrets.ts'
import { openTestBlobStore } from './test-blob-store.ts'
import { openTestDatabase, type TestDatabase } from './test-database.ts'

// As the service itself has it.
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }

/** Lines of pino’s levels 50 and above. */
const ERROR_LINE = /^\{"level":[56]0,/

export interface TestService extends TestDatabase {
  url: string
  secretBox: SecretBox
  blobStore: BlobStore
  /** Creates a client with a token, or without one for the public plane. */
  client: (token?: string) => Client
  /** Sends a request without retries. JSON is parsed. */
  send: (method: string, path: string, options?: SendOptions) => Promise<TestResponse>
}

export interface SendOptions {
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

export interface TestResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  body: any
}

type Overrides = Partial<Omit<AppOptions, 'services'>> & { services?: Partial<AppOptions['services']> }

/** Where the service runs, unless on a database of its own and any port. */
interface Placement {
  store?: TestDatabase
  port?: number
}

/**
 * Starts the real service on a database of the test’s own, with rate limits out of reach and every response checked against
 * its contract. Closing it fails if a secret that was sent or received is in its log, its database or the body of an error.
 */
export async function startTestService({ services, ...overrides }: Overrides = {}, placement: Placement = {}): Promise<TestService> {
  const { store = await openTestDatabase(), port = 0 } = placement
  const secrets = createSecrets()
  const lines: string[] = []
  const secretBox = services?.secretBox ?? createSecretBox(randomBytes(32))
  const blobStore = services?.blobStore ?? (await openTestBlobStore())
  const rules = createAddressRules({ allowNetworks: [], allowLoopback: true })
  const app = await buildApp({
    contracts,
    database: store.database,
    teamDatabase: null,
    services: {
      secretBox,
      blobStore,
      checkReceiver: (url) => checkWebhookUrl(url, { rules, allowInsecure: true, ownAddresses: createOwnAddresses([]) }),
      defaultPlan: 'pro',
      maxTeamsPerUser: 20,
      publicWritesPerDay: 200,
      isSignUpOpen: true,
      reuseLeewaySeconds: 0,
      ...services,
    },
    rateLimitMultiplier: 10_000,
    checkOutput: true,
    onCommit: () => {},
    baseUrl: 'http://localhost:8000',
    version,
    log: createLog({ level: 'debug', sink: { write: (line) => void lines.push(line) } }),
    drainMs: 1_000,
    passwordNiceness: 0,
    metrics: new Registry(),
    webFolder,
    metricsToken: null,
    notReady: async () => [],
    trustProxy: false,
    ...overrides,
  })
  const url = await app.listen({ host: '127.0.0.1', port })
  return {
    ...store,
    url,
    secretBox,
    blobStore,
    client: (token) => createClient({ baseUrl: url, maxRetries: 0, ...(token && { token }) }),
    send: async (method, path, options) => {
      const answer = await send(url + path, method, options)
      keepWatch(secrets, options ?? {}, answer)
      return answer
    },
    close: async () => {
      await app.close()
      if (!services?.blobStore) await blobStore.close()
      // Vitest shows them with a file that fails.
      for (const line of lines) if (ERROR_LINE.test(line)) console.error(line.trimEnd())
      const dump = await dumpDatabase(store.address)
      if (!placement.store) await store.close()
      expect({ log: secrets.foundIn(lines.join('')), database: secrets.foundIn(dump) }).toEqual({ log: [], database: [] })
    },
  }
}

/** Checks that no secret comes back in the body of an error. */
function keepWatch(secrets: Secrets, { body }: SendOptions, answer: TestResponse): void {
  if (answer.status < 400) secrets.note([body, answer.body], answer.headers)
  else expect(secrets.foundIn(JSON.stringify(answer.body ?? null))).toEqual([])
}

async function send(url: string, method: string, { token, body, headers = {} }: SendOptions = {}): Promise<TestResponse> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
