import { type ErrorCode, errorRow, type NamedOperation, Plan } from '@earshot/contracts'
import type { PresentedCredential } from '../../support/credentials.ts'
import { emptyPath } from '../records.ts'
import { type Case, casesOf, expectedOf, type Outcome, type RecordOwner } from './cases.ts'
import type { World } from './world.ts'

const HOUR_MS = 3_600_000

/** A refusal to prove: an operation, a credential, a path, and what must come of them. */
export interface Cell {
  named: NamedOperation
  shown: PresentedCredential
  path: Record<string, string>
  expected: Outcome
  /** The reason, the same for every operation: an invalid credential, or the kind of a valid one with its refusal. */
  refusal: string
  what: string
}

/** Returns every refusal of the operations. */
export function cellsOf(world: World, operations: readonly NamedOperation[]): Cell[] {
  return operations.flatMap((named) => [...invalidCells(world, named), ...refusedCells(world, named)])
}

/** Returns the cells in turns, each with one of every refusal: whatever the service does not refuse shows early. */
export function inTurns(cells: readonly Cell[]): Cell[] {
  const seen = new Map<string, number>()
  const turns = cells.map((cell) => {
    const turn = seen.get(cell.refusal) ?? 0
    seen.set(cell.refusal, turn + 1)
    return { cell, turn }
  })
  return turns.sort((one, other) => one.turn - other.turn).map(({ cell }) => cell)
}

/** Returns one cell for each operation and refusal: another one each hour, so that all have their turn. */
export function oneOfEachRefusal(cells: readonly Cell[], turn = Math.floor(Date.now() / HOUR_MS)): Cell[] {
  const groups = Map.groupBy(cells, ({ named, refusal }) => `${named.name} ${refusal}`)
  return [...groups.values()].flatMap((group) => group[turn % group.length] ?? [])
}

function invalidCells({ teams, invalid }: World, named: NamedOperation): Cell[] {
  return [...teams].flatMap(([plan, team]) =>
    invalid.map(({ what, code, shown }) => ({
      named,
      shown,
      path: emptyPath(named.operation, team),
      expected: outcomeOf(code),
      refusal: what,
      what: `${what} on ${plan}`,
    })),
  )
}

function refusedCells(world: World, named: NamedOperation): Cell[] {
  return casesOf(named).flatMap((one) => {
    const expected = expectedOf(one)
    if (!expected) return []
    const refusal = `${one.kind} in ${one.owner}: ${expected.code}`
    return [{ named, shown: world.credentialOf(one), path: pathOf(world, one), expected, refusal, what: describe(one) }]
  })
}

function outcomeOf(code: ErrorCode): Outcome {
  return { status: errorRow(code).status, code }
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

function describe({ kind, choice, role, plan, owner }: Case): string {
  return `${kind} with ${choice} scopes of ${role} on ${plan} in ${owner}`
}
