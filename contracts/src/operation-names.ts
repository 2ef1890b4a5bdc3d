import type { Hints, Operation, OperationTree } from './operation.ts'

/** An operation with the one name it has on every surface, in that surface's spelling. */
export interface NamedOperation {
  /** tRPC path: `publicKeys.create`. */
  name: string
  /** OpenAPI operationId and MCP tool: `public_keys_create`. */
  operationId: string
  /** Command-line words: `['public-keys', 'create']`. */
  words: string[]
  operation: Operation
}

/** Every operation of a tree, in the order of the contracts. */
export function listOperations(tree: OperationTree, path: readonly string[] = []): NamedOperation[] {
  return Object.entries(tree).flatMap(([key, node]) => {
    const names = [...path, key]
    if (!isOperation(node)) return listOperations(node, names)
    return [{ name: names.join('.'), operationId: names.map(snakeCase).join('_'), words: names.map(kebabCase), operation: node }]
  })
}

/** Whether the operation exists on every surface. */
export function isEverywhere({ access, stream }: Pick<Operation, 'access' | 'stream'>): boolean {
  return access === 'credential' && !stream
}

/**
 * Whether the operation takes an idempotency key. One that asks for the password again takes none: its request is remembered
 * nowhere.
 */
export function takesKey({
  method,
  access,
  waitsSeconds,
  reauthenticates,
}: Pick<Operation, 'method' | 'access' | 'waitsSeconds' | 'reauthenticates'>): boolean {
  return method === 'POST' && access !== 'account' && waitsSeconds === undefined && !reauthenticates
}

/** Returns the hints of an operation: what its literal says, else what follows from the method and the status. */
export function hintsOf({
  method,
  status,
  reauthenticates,
  hints,
}: Pick<Operation, 'method' | 'status' | 'reauthenticates' | 'hints'>): Hints {
  return {
    destructive: method === 'DELETE',
    // What creates something creates another one the next time.
    idempotent: method !== 'POST' || status === 200,
    sendsOut: false,
    showsSecret: reauthenticates,
    ...hints,
  }
}

export function isOperation(node: Operation | OperationTree): node is Operation {
  return typeof (node as Operation).method === 'string' && typeof (node as Operation).path === 'string'
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns `publicKeys` and `public_keys` as a command line writes them: `public-keys`. */
export function kebabCase(name: string): string {
  return snakeCase(name).replaceAll('_', '-')
}
