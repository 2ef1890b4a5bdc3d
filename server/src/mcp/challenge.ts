import { ApiError, type Scope } from '@earshot/contracts'
import type { FastifyRequest } from 'fastify'
import { toApiError } from '../http/failure.ts'
import { MCP_PATH, RESOURCE_METADATA_PATH } from '../oauth/paths.ts'
import { isGrantable } from '../oauth/scopes.ts'
import { readSelection, type Selection } from './selection.ts'
import type { Tool } from './tools.ts'

/** How an OAuth access token begins. Those of people have all scopes that they will ever have. */
const ACCESS_TOKEN = /^bearer +sva_/i

/** Whether an application lacks a scope that its person could allow it. */
export function mustStepUp(error: unknown, { headers }: FastifyRequest): boolean {
  const { code, fields } = toApiError(error)
  return code === 'insufficient_scope' && ACCESS_TOKEN.test(headers.authorization ?? '') && isGrantable(fields.required_scope as Scope)
}

/**
 * Returns `WWW-Authenticate` (RFC 6750 §3, RFC 9728 §5.1): where the metadata stand, and the scopes to ask for, which are those of the
 * tools that the connection selects. Null for errors that need none.
 */
export function challengeOf(
  error: unknown,
  request: FastifyRequest,
  { baseUrl, tools }: { baseUrl: string; tools: ReadonlyMap<string, Tool> },
) {
  const { status, code, fields } = toApiError(error)
  if (status !== 401 && !mustStepUp(error, request)) return null
  const required = fields.required_scope === undefined ? scopesOf(request, tools) : [String(fields.required_scope)]
  const parameters = [
    ...(code === 'not_authenticated' ? [] : [`error="${status === 401 ? 'invalid_token' : 'insufficient_scope'}"`]),
    `resource_metadata="${baseUrl}${RESOURCE_METADATA_PATH}${MCP_PATH}"`,
    `scope="${required.join(' ')}"`,
  ]
  return `Bearer ${parameters.join(', ')}`
}

function scopesOf(request: FastifyRequest, tools: ReadonlyMap<string, Tool>): Scope[] {
  const selection = selectionOf(request, tools)
  const needed = [...tools.values()].filter((tool) => selection?.includes(tool) ?? true)
  const scopes = needed.flatMap(({ pipeline }) => pipeline.named.operation.scope ?? [])
  return [...new Set(scopes)].filter(isGrantable)
}

/** A request with a selection that means nothing is refused for that, once it has a credential. */
function selectionOf(request: FastifyRequest, tools: ReadonlyMap<string, Tool>): Selection | null {
  try {
    return readSelection(request, tools)
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}
