import type { Operation, OperationTree } from './operation.ts'
import { ME } from './paths.ts'

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

/** Whether the operation belongs to the public plane, which takes no credential and is REST alone. */
export function isPublic(operation: Pick<Operation, 'path'>): boolean {
  return operation.path.startsWith('/api/public/')
}

/** Whether the operation belongs to the accounts: how one signs up, in and out. REST alone, and no credential is asked for. */
export function isAccount(operation: Pick<Operation, 'path'>): boolean {
  return operation.path.startsWith('/api/auth/')
}

/** Whether the operation takes a credential. */
export function isSignedIn(operation: Pick<Operation, 'path'>): boolean {
  return !isPublic(operation) && !isAccount(operation)
}

/** Whether the operation answers with server-sent events, which go on; its output is the data of one. REST and the client alone. */
export function isStream({ path }: Pick<Operation, 'path'>): boolean {
  return path.endsWith('/stream/')
}

/** Whether the operation exists on every surface. */
export function isEverywhere(operation: Pick<Operation, 'path'>): boolean {
  return isSignedIn(operation) && !isStream(operation)
}

/** Whether the operation changes how one signs in, and so asks for the password or a code again. */
export function isLock({ path }: Pick<Operation, 'path'>): boolean {
  return path === `${ME}/password/` || path.startsWith(`${ME}/mfa/`)
}

/** Whether the operation takes an idempotency key. */
export function takesKey(operation: Pick<Operation, 'method' | 'path' | 'waitsSeconds'>): boolean {
  return operation.method === 'POST' && !isAccount(operation) && operation.waitsSeconds === undefined
}

export function isOperation(node: Operation | OperationTree): node is Operation {
  return typeof (node as Operation).method === 'string' && typeof (node as Operation).path === 'string'
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function kebabCase(name: string): string {
  return snakeCase(name).replaceAll('_', '-')
}
