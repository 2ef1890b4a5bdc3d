import { contracts, listOperations, type NamedOperation } from '@earshot/contracts'

/** Every operation of the service: this suite covers new ones by itself. */
export const operations: readonly NamedOperation[] = listOperations(contracts)

/** Those that need a credential. */
export const closedOperations = operations.filter(({ operation }) => operation.access === 'credential')

/** Those that come to an end: a stream's success is a test of its own. */
export const endingOperations = operations.filter(({ operation }) => !operation.stream)

/** Operations with a JSON body. */
export const bodyOperations = operations.filter(({ operation }) => operation.method === 'POST' || operation.method === 'PATCH')

const SHARED_FIELDS = ['team_id', 'project_id', 'public_key']

/**
 * Whether success takes from the caller what other operations need: the team or its project, the right to them, or the way to sign in.
 */
export function endsAccess({ name, operation: { method, path, reauthenticates } }: NamedOperation): boolean {
  const ends = method === 'DELETE' && SHARED_FIELDS.some((field) => path.endsWith(`/{${field}}/`))
  return ends || reauthenticates || name === 'members.transferOwnership'
}
