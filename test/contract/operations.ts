import { contracts, listOperations, type NamedOperation } from '@earshot/contracts'

/** Every operation of the service: this suite covers new ones by itself. */
export const operations: readonly NamedOperation[] = listOperations(contracts)

/** Those that need a credential. */
export const closedOperations = operations.filter(({ operation }) => operation.access === 'credential')

/** Those that come to an end: a stream's success is a test of its own. */
export const endingOperations = operations.filter(({ operation }) => !operation.stream)

/** Operations with a JSON body. */
export const bodyOperations = operations.filter(({ operation }) => operation.method === 'POST' || operation.method === 'PATCH')
