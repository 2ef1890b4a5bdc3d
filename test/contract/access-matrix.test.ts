import { randomBytes } from 'node:crypto'
import { type CredentialKind, contracts, isOperation, type NamedOperation, type OperationTree } from '@earshot/contracts'
import type { Database, Patience, Tx } from '@earshot/db'
import { createSecretBox } from '@earshot/drivers'
import { createLog } from '@earshot/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCredential, OAUTH_SCOPES, type PresentedCredential } from '../support/credentials.ts'
import { makeTeam } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { callRest, sourcesOf } from './call.ts'
import { contentOf } from './content.ts'
import { kinds } from './matrix/cases.ts'
import { type Cell, cellsOf, inTurns } from './matrix/cells.ts'
import { runMatrix, runOverRest, runOverTrpc } from './matrix/run.ts'
import { makeWorld, type World } from './matrix/world.ts'
import { closedOperations, endingOperations, endsAccess } from './operations.ts'
import { makeInput } from './records.ts'

const LIMIT_MS = 180_000

/** Every test gets a copy of the same world, which takes long to make. */
let template: TestDatabase
let world: World
/** Cells that must show a missing check. */
let someCells: Cell[]
const services = { secretBox: createSecretBox(randomBytes(32)) }
beforeAll(async () => {
  template = await openTestDatabase()
  const service = await startTestService({ database: template.database, services }, { store: template })
  world = await makeWorld(service)
  someCells = inTurns(cellsOf(world, oneOfEachShape()))
  await service.close()
  await template.database.close()
}, LIMIT_MS)
afterAll(() => template.close())

test('every operation refuses callers without access, as one table says, and changes nothing', { timeout: LIMIT_MS }, async () => {
  await withWorld({}, async (service) => {
    const before = await contentOf(service)
    const cells = cellsOf(world, closedOperations)
    const { requests, proven, wrong } = await runMatrix(service, cells)
    expect(wrong).toEqual([])
    expect(await contentOf(service)).toEqual(before)
    expect(proven.size).toBe(cells.length)
    console.log(`access matrix: ${proven.size} refusals over ${closedOperations.length} operations, in ${requests} requests`)
    expect(proven.size).toBeGreaterThan(closedOperations.length * 100)
  })
})

test('every operation succeeds with each kind of credential that has access', { timeout: LIMIT_MS }, async () => {
  const service = await startTestService()
  const worker = await startTestDispatcher(service)
  const makeHolder = async (own: readonly CredentialKind[]) => {
    const team = await makeTeam(service.database)
    const shown = new Map<CredentialKind, PresentedCredential>()
    for (const kind of own) shown.set(kind, await makeCredential(service, team.ownerId, kind))
    return { team, shown }
  }
  const shared = await makeHolder(kinds)
  let successes = 0
  for (const named of closedOperations.filter((one) => endingOperations.includes(one))) {
    const isRead = named.operation.method === 'GET'
    let input: Record<string, unknown> | undefined
    for (const kind of kinds.filter((one) => mayAtAll(named, one))) {
      const { team, shown } = endsAccess(named) ? await makeHolder([kind]) : shared
      if (!isRead || input === undefined) input = await makeInput(service, team, named)
      const answer = await callRest(service, named, { ...sourcesOf(named, input), ...shown.get(kind) })
      expect(answer, `${named.name} with ${kind}: ${JSON.stringify(answer.body)}`).toMatchObject({ status: named.operation.status })
      successes += 1
    }
  }
  await worker.stop()
  await service.close()
  console.log(`access matrix: ${successes} successes`)
  expect(successes).toBeGreaterThan(closedOperations.length * 3)
})

/** The service with one of its checks removed. */
const MUTATIONS: ({ what: string } & ({ tree: OperationTree } | { sql: Replaced }))[] = [
  { what: 'the role check', tree: without('role') },
  { what: 'the scope check', tree: without('scope') },
  { what: 'the feature check', tree: without('feature') },
  { what: "the check of the plan's API access", sql: [/m\.role, t\.plan,/, "m.role, 'business' as plan,"] },
  {
    what: 'the tenant condition',
    sql: [
      /left join "memberships" m on m\.user_id = u\.id and m\.team_id = r\.team/,
      "left join (select r.team as team_id, 'owner' as role) m on true",
    ],
  },
  { what: "the project's tenant condition", sql: [/j\.team_id = t\.id and j\.id = r\.project/, 'j.id = r.project'] },
  { what: 'the check for revoked credentials', sql: [/ and c\.revoked_at is null/, ''] },
  { what: 'the check for ended credentials', sql: [/coalesce\(h\.expires_at <= now\(\), false\)/, 'false'] },
  { what: 'the check for disabled users', sql: [/ and u\.disabled_at is null/, ''] },
]

type Overrides = Parameters<typeof startTestService>[0]
type Replaced = [RegExp, string]

/** No other statement looks for credentials by hash. */
const AUTHORIZES = 'decode(r.hash'

test.each(MUTATIONS)('the matrix fails without $what', { timeout: LIMIT_MS }, (mutation) =>
  'tree' in mutation ? expectWrong({ contracts: mutation.tree }) : expectWrong({}, mutation.sql),
)

async function expectWrong(overrides: Overrides, replaced?: Replaced) {
  // The broken service may log failures.
  const log = createLog({ level: 'silent' })
  await withWorld(
    { log, ...overrides },
    async (service) => {
      for (const runOver of [runOverRest, runOverTrpc]) {
        const { wrong } = await runOver(service, someCells, { stopsAtFirst: true })
        expect(wrong.length, runOver.name).toBeGreaterThan(0)
      }
    },
    replaced,
  )
}

async function withWorld(overrides: Overrides, work: (service: TestService) => Promise<void>, replaced?: Replaced) {
  const store = await openTestDatabase({ template: template.address })
  const database = replaced ? withReplaced(store.database, replaced) : store.database
  const service = await startTestService({ database, services, ...overrides }, { store })
  try {
    await work(service)
  } finally {
    await service.close()
    await store.close()
  }
}

/**
 * Returns whether a kind of credential can succeed at all. OAuth clients cannot have the scopes of tokens, and an account with
 * a second factor to turn off has no logins.
 */
function mayAtAll({ name, operation: { scope } }: NamedOperation, kind: CredentialKind): boolean {
  if (name === 'me.mfa.disable' && kind === 'jwt') return false
  return kind !== 'oauth2' || !scope || OAUTH_SCOPES.includes(scope)
}

/** Returns the contracts without one of their checks. */
function without(check: 'role' | 'scope' | 'feature', tree: OperationTree = contracts): OperationTree {
  return Object.fromEntries(
    Object.entries(tree).map(([name, node]) => {
      if (!isOperation(node)) return [name, without(check, node)]
      const { [check]: _dropped, ...rest } = node
      return [name, rest]
    }),
  )
}

/** Returns one operation for each combination of path, method and requirements. Reads come first: one that is not refused changes nothing. */
function oneOfEachShape(): NamedOperation[] {
  const shapes = new Map<string, NamedOperation>()
  for (const named of closedOperations) {
    const { method, pathFields, scope, role, feature } = named.operation
    const shape = [method, pathFields.has('team_id'), pathFields.has('project_id'), scope !== undefined, role, feature].join(' ')
    if (!shapes.has(shape)) shapes.set(shape, named)
  }
  const isWrite = ({ operation }: NamedOperation) => Number(operation.method !== 'GET')
  return [...shapes.values()].toSorted((one, other) => isWrite(one) - isWrite(other))
}

/** Returns a database whose statement that authorizes lacks one of its checks. */
function withReplaced(database: Database, [check, replacement]: Replaced): Database {
  const replace = (text: string) => {
    if (!text.includes(AUTHORIZES)) return text
    expect(text.match(new RegExp(check, 'g')), `${check} in the statement that authorizes`).toHaveLength(1)
    return text.replace(check, replacement)
  }
  const wrap = (tx: Tx): Tx => ({
    ...tx,
    run: (text, params) => tx.run(replace(text), params),
    ...(tx.request && { request: { ...tx.request, shared: wrap(tx.request.shared), patiently: wrapPatiently(tx.request.patiently) } }),
  })
  const wrapPatiently = (patiently: Database['patiently']) => (patience: Patience) => wrap(patiently(patience))
  return { ...database, ...wrap(database), patiently: wrapPatiently(database.patiently) }
}
