import { ApiError, plans, type Role, roleSuffices, takesKey } from '@earshot/contracts'
import { type Database, listRoles } from '@earshot/db'
import type { KnownAccessRow } from '../auth/credential.ts'
import type { AuthorizedRequest } from '../http/pipeline.ts'
import { present, withoutMarkers } from './presentation.ts'
import type { Selection } from './selection.ts'
import { defineTool, LIST_ITEMS, type Tool, type ToolDefinition } from './tools.ts'

/** The arguments of a call. */
export type Arguments = Record<string, unknown>

/** How a call ended: with the output as a model gets it, or with an error of the table. */
export type CallOutcome = { output: unknown } | { failure: unknown }

/** A call that the caller may make. */
export interface AuthorizedCall {
  tool: Tool
  args: Arguments
  authorized: AuthorizedRequest
}

/** A request whose caller is known, with what the connection selects. */
export interface Exchange {
  selection: Selection
  tools: ReadonlyMap<string, Tool>
  /** Whose request it is, where it is no call. */
  access: KnownAccessRow | null
  /** The call of the request, or the read of a resource: authorized or refused. */
  call: AuthorizedCall | { failure: unknown } | null
  idempotencyKey: string | null
}

/** Describes the tools that the connection selects and the caller may use: by scope, role and plan, in the order of the contracts. */
export async function listTools({ selection, tools, access }: Exchange, database: Database): Promise<ToolDefinition[]> {
  if (access === null) throw new Error('A list of tools without a caller')
  const roles: Role[] = access.team_id === null ? await listRoles(database, access.user_id) : [access.role]
  const hasApiAccess = access.team_id === null ? access.any_api_access : plans[access.plan].apiAccess
  const isAllowed = ({ pipeline }: Tool) => {
    const { scope, role: needed, withoutApiAccess } = pipeline.named.operation
    if (!hasApiAccess && !withoutApiAccess) return false
    if (scope && !access.scopes.includes(scope)) return false
    return !needed || roles.some((role) => roleSuffices(role, needed))
  }
  const fixed = new Set(Object.keys(selection.fixed))
  return [...tools.values()].filter((tool) => selection.includes(tool) && isAllowed(tool)).map((tool) => defineTool(tool, fixed))
}

/** Performs the call of the exchange through the pipeline of its operation. Never throws. */
export async function performCall({ call, selection, idempotencyKey }: Exchange): Promise<CallOutcome> {
  if (call === null) throw new Error('A call that was not authorized')
  if ('failure' in call) return call
  const { tool, args, authorized } = call
  try {
    const key = takesKey(tool.pipeline.named.operation) ? idempotencyKey : null
    const result = await tool.pipeline.perform(authorized, inputOf(tool, args, selection), key)
    return 'refusal' in result ? { failure: result.refusal } : { output: present(result.output, tool, args.limit) }
  } catch (failure) {
    return { failure }
  }
}

/** Returns the fields of the path, which the call is authorized with before its other arguments are read. */
export function pathOf({ pipeline }: Tool, args: Arguments, { fixed }: Selection): Record<string, string | undefined> {
  const path: Record<string, string | undefined> = {}
  for (const name of pipeline.named.operation.pathFields) {
    const value = fixed[name] ?? args[name]
    if (typeof value === 'string') path[name] = value
  }
  return path
}

/** Throws `validation_error` for a place other than the one that the connection fixes. */
function inputOf({ pipeline, isList }: Tool, args: Arguments, { fixed }: Selection): Arguments {
  const { input } = pipeline.named.operation
  const own = Object.entries(fixed).filter(([name]) => name in input.shape)
  const other = own.find(([name, value]) => args[name] !== undefined && args[name] !== value)
  if (other) {
    throw new ApiError('validation_error', {
      errors: [{ field: other[0], code: 'invalid_value', detail: `is ${other[1]} on this connection` }],
    })
  }
  return { ...(isList && { limit: LIST_ITEMS }), ...withoutMarkers(args), ...Object.fromEntries(own) }
}
