import { type NamedOperation, Plan } from '@earshot/contracts'
import type { PresentedCredential } from '../../support/credentials.ts'
import type { TestService } from '../../support/test-service.ts'
import { callRest, sourcesOf } from '../call.ts'
import { emptyPath } from '../records.ts'
import { sampleInput } from '../samples.ts'
import { type Case, casesOf, expectedOf, type Outcome, type RecordOwner } from './cases.ts'
import type { World } from './world.ts'

const AT_ONCE = 16

export interface Findings {
  refusals: number
  /** Cases with another outcome than expected. */
  wrong: string[]
}

interface MatrixRequest {
  named: NamedOperation
  shown: PresentedCredential
  path: Record<string, string>
  expected: Outcome
  what: string
}

/** Requests every refusal of the operations over HTTP. Returns those that had another outcome, or just the first of them. */
export async function runMatrix(
  service: TestService,
  world: World,
  { operations, stopsAtFirst = false }: { operations: readonly NamedOperation[]; stopsAtFirst?: boolean },
): Promise<Findings> {
  const requests = operations.flatMap((named) => [...invalidRequests(world, named), ...refusedRequests(world, named)])
  const wrong: string[] = []
  const rest = requests.values()
  const send = async () => {
    for (const { named, shown, path, expected, what } of rest) {
      if (stopsAtFirst && wrong.length > 0) return
      const answer = await callRest(service, named, { ...sourcesOf(named, inputOf(named, path)), path, ...shown })
      if (answer.status !== expected.status || answer.body?.code !== expected.code) {
        wrong.push(`${named.name}, ${what}: ${answer.status} ${answer.body?.code} instead of ${expected.status} ${expected.code}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send))
  return { refusals: requests.length, wrong }
}

function invalidRequests({ teams, invalid }: World, named: NamedOperation): MatrixRequest[] {
  return [...teams.values()].flatMap((team) =>
    invalid.map(({ what, code, shown }) => ({
      named,
      shown,
      path: emptyPath(named.operation, team),
      expected: { status: 401, code: code as Outcome['code'] },
      what,
    })),
  )
}

function refusedRequests(world: World, named: NamedOperation): MatrixRequest[] {
  return casesOf(named).flatMap((one) => {
    const expected = expectedOf(one)
    return expected ? [{ named, shown: world.credentialOf(one), path: pathOf(world, one), expected, what: describe(one) }] : []
  })
}

/** Returns a path with the caller’s own team and project, or another’s, and unknown records below. */
function pathOf({ teams }: World, { named, plan, owner }: Case): Record<string, string> {
  const [own, other] = [plan, Plan.options.find((one) => one !== plan)].map((one) => teams.get(one as Plan))
  if (!own || !other) throw new Error('a team on each plan is there')
  const path = emptyPath(named.operation, own)
  const others = emptyPath(named.operation, other)
  const foreign: Record<RecordOwner, string[]> = {
    'own team': [],
    'other team': ['team_id', 'project_id'],
    'other project': ['project_id'],
  }
  for (const name of foreign[owner]) if (others[name]) path[name] = others[name]
  return path
}

function inputOf({ operation }: NamedOperation, path: Record<string, string>): Record<string, unknown> {
  return sampleInput(operation, { ...path, url: 'http://127.0.0.1:9/hooks', email: 'grace@example.com' })
}

function describe({ kind, choice, role, plan, owner }: Case): string {
  return `${kind} with ${choice} scopes of ${role} on ${plan} in ${owner}`
}
