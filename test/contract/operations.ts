import { contracts, isSignedIn, isStream, listOperations, type NamedOperation } from '@earshot/contracts'

/** Every operation of the service: this suite covers new ones by itself. */
export const operations: readonly NamedOperation[] = listOperations(contracts)

/** Operations that need a credential. */
export const closedOperations = operations.filter(({ operation }) => isSignedIn(operation))

/** Operations that end: streams have tests of their own. */
export const endingOperations = operations.filter(({ operation }) => !isStream(operation))

/** Operations with a JSON body. */
export const bodyOperations = operations.filter(({ operation }) => operation.method === 'POST' || operation.method === 'PATCH')
