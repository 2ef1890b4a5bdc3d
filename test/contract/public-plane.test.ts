import { randomBytes } from 'node:crypto'
import type { NamedOperation } from '@earshot/contracts'
import type { Tx } from '@earshot/db'
import { createSecretBox } from '@earshot/drivers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handlers } from '../../server/src/handlers.ts'
import { makeTeam } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { callRest, sourcesOf } from './call.ts'
import { contentOf } from './content.ts'
import { operations } from './operations.ts'
import { makeInput } from './records.ts'

/** So small that every limit is rounded to no request at all. */
const NO_REQUESTS = 0.0001
const UNKNOWN_KEY = 'pk_000000000000000000000000'
const UNKNOWN_ID = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01'

const secretBox = createSecretBox(randomBytes(32))
const publicOperations = operations.filter(({ operation }) => operation.access === 'public')

let store: TestDatabase
let own: Services
/** The same service, but each handler of the public plane changes a record without looking at who calls. */
let careless: Services
const inputs = new Map<NamedOperation, Record<string, unknown>>()
let nextAddress = 1
beforeAll(async () => {
  store = await openTestDatabase()
  own = await startServices()
  const restores = publicOperations.filter(({ operation }) => !operation.authorizesWithWork).map(makeCareless)
  careless = await startServices({ checkOutput: false })
  // A service takes its handlers when it is built; other files of this process need the real ones.
  for (const restore of restores) restore()
})
afterAll(async () => {
  for (const service of [own.open, own.closed, careless.open, careless.closed]) await service.close()
  await store.close()
})

interface Services {
  open: TestService
  /** Its limits admit no request. */
  closed: TestService
}

interface Tree {
  [name: string]: unknown
}

interface Refusal {
  status: number
  code: string
  appliesTo?: (named: NamedOperation) => boolean
  isClosed?: true
  prepare?: (address: string) => Promise<unknown>
  input?: object
  headers?: Record<string, string>
}

const refusals: Record<string, Refusal> = {
  'over the limit': { status: 429, code: 'rate_limited', isClosed: true },
  'from a blocked address': { status: 429, code: 'abuse_blocked', prepare: blockAddress },
  'with an unknown public key': {
    status: 404,
    code: 'not_found',
    appliesTo: ({ operation }) => operation.pathFields.has('public_key'),
    input: { public_key: UNKNOWN_KEY },
  },
  'for an unknown survey': {
    status: 404,
    code: 'not_found',
    appliesTo: ({ operation }) => operation.pathFields.has('survey_id'),
    input: { survey_id: UNKNOWN_ID },
  },
  'for an unknown widget': {
    status: 404,
    code: 'not_found',
    appliesTo: ({ operation }) => operation.pathFields.has('widget_id'),
    input: { widget_id: UNKNOWN_ID },
  },
  'with the token of another upload': {
    status: 404,
    code: 'not_found',
    appliesTo: takesUploadToken,
    input: { upload_token: `upl_${'0'.repeat(43)}` },
  },
  'for another upload than that of its token': {
    status: 404,
    code: 'not_found',
    appliesTo: takesUploadToken,
    input: { video_id: UNKNOWN_ID },
  },
  'without the token of its upload': {
    status: 401,
    code: 'not_authenticated',
    appliesTo: takesUploadToken,
    input: { upload_token: undefined },
  },
  'that is a webhook delivery': {
    status: 403,
    code: 'webhook_loop',
    appliesTo: ({ operation }) => operation.method !== 'GET',
    headers: { 'x-service-delivery': '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01' },
  },
}

for (const [what, refusal] of Object.entries(refusals)) {
  const refused = publicOperations.filter((named) => refusal.appliesTo?.(named) ?? true)
  const keyed = refused.filter(({ operation }) => operation.method === 'POST')
  const ordinary = refused.filter(({ operation }) => !operation.authorizesWithWork)

  describe(`a public request ${what} changes nothing`, () => {
    test.for(named(refused))('%s', ([, operation]) => expectRefusal(own, operation, refusal))

    test.for(named(keyed))('%s with an idempotency key', ([, operation]) =>
      expectRefusal(own, operation, { ...refusal, headers: { ...refusal.headers, 'idempotency-key': 'once' } }),
    )

    test.for(named(ordinary))('%s, whatever its handler does', ([, operation]) => expectRefusal(careless, operation, refusal))
  })
}

test('a request that is admitted changes what its handler changes', async () => {
  for (const operation of publicOperations) {
    for (const { open } of operation.operation.authorizesWithWork ? [own] : [own, careless]) {
      const input = await makeInput(own.open, await makeTeam(store.database), operation)
      const before = await contentOf(open)
      const reply = await callRest(open, operation, sourcesOf(operation, input, { headers: { 'x-forwarded-for': newAddress() } }))
      expect(reply, operation.name).toMatchObject({ status: operation.operation.status })
      const isUnchanged = open === own.open && operation.operation.method === 'GET'
      expect(JSON.stringify(before) === JSON.stringify(await contentOf(open)), operation.name).toBe(isUnchanged)
    }
  }
})

function named(all: NamedOperation[]): (readonly [string, NamedOperation])[] {
  return all.map((one) => [one.name, one] as const)
}

async function expectRefusal(services: Services, operation: NamedOperation, refusal: Refusal): Promise<void> {
  const service = refusal.isClosed ? services.closed : services.open
  const address = newAddress()
  const input = { ...(await inputOf(operation)), ...refusal.input }
  await refusal.prepare?.(address)
  const before = await contentOf(service)
  const headers = { ...refusal.headers, 'x-forwarded-for': address }
  const reply = await callRest(service, operation, sourcesOf(operation, input, { headers }))
  expect(reply).toMatchObject({ status: refusal.status, body: { code: refusal.code } })
  expect(await contentOf(service)).toEqual(before)
}

/** Returns an input that succeeds, the same for all refusals: none of them uses it up. */
async function inputOf(operation: NamedOperation): Promise<Record<string, unknown>> {
  const input = inputs.get(operation) ?? (await makeInput(own.open, await makeTeam(store.database), operation))
  inputs.set(operation, input)
  return input
}

async function startServices(options: Parameters<typeof startTestService>[0] = {}): Promise<Services> {
  const common = { trustProxy: () => true, services: { secretBox }, ...options }
  return {
    open: await startTestService(common, { store }),
    closed: await startTestService({ ...common, rateLimitMultiplier: NO_REQUESTS }, { store }),
  }
}

/** Replaces a handler by one that changes every project, whoever calls; returns what puts the handler back. */
function makeCareless({ name }: NamedOperation): () => void {
  const names = name.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce<Tree>((tree, key) => tree[key] as Tree, handlers as unknown as Tree)
  const handler = parent[last]
  parent[last] = async ({ ctx }: { ctx: { tx: Tx } }) => {
    await ctx.tx.run("update projects set name = name || '!'", [])
    return {}
  }
  return () => {
    parent[last] = handler
  }
}

function newAddress(): string {
  nextAddress += 1
  return `198.51.100.${nextAddress}`
}

function blockAddress(address: string): Promise<unknown> {
  return store.database.run("insert into abuse_blocks (address, blocked_until) values ($1, now() + interval '1 hour')", [address])
}

function takesUploadToken({ operation }: NamedOperation): boolean {
  return operation.headerFields.has('upload_token')
}
