import { ApiError } from '@earshot/contracts'
import type { FastifyRequest } from 'fastify'
import { singleHeader } from '../http/rest.ts'
import type { Tool } from './tools.ts'

/** What an agent gets unless it chooses: what people say, and what the team decides about it. */
const DEFAULT_TOOLS: ReadonlySet<string> = new Set([
  ...['me_retrieve', 'teams_list', 'projects_list', 'analytics_overview', 'analytics_nps'],
  ...['submissions_list', 'submissions_counts', 'submissions_create', 'submissions_retrieve', 'submissions_update'],
  ...['submissions_approve', 'submissions_reject', 'submissions_moderate'],
  ...['testimonials_list', 'testimonials_create', 'testimonials_retrieve', 'testimonials_update'],
  ...['surveys_list', 'surveys_retrieve', 'surveys_results', 'responses_list', 'responses_retrieve'],
])
const MAX_NAMES = 200
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The tools that a connection has, whatever its credential may do. */
export interface Selection {
  includes: (tool: Tool) => boolean
  /** Fields that the connection gives to every tool that has them. */
  fixed: Readonly<Record<string, string>>
}

/**
 * Reads which tools a connection has, from the headers `X-MCP-Toolsets`, `-Tools`, `-Exclude-Tools` and `-Readonly`, which GitHub's MCP
 * server has too, or from the path: `/mcp/x/webhooks,imports` and `/mcp/read-only`. What is read-only stays so, whoever says it.
 * `X-Earshot-Team` and `-Project` fix the place. Throws `validation_error` for an unknown toolset or tool.
 */
export function readSelection(request: FastifyRequest, tools: ReadonlyMap<string, Tool>): Selection {
  const { toolsets: fromPath } = request.params as { toolsets?: string }
  const sets = namesIn(fromPath ?? singleHeader(request, 'x-mcp-toolsets'), 'toolset', { has: (name) => isToolset(name, tools) })
  const named = namesIn(singleHeader(request, 'x-mcp-tools'), 'tool', tools)
  const excluded = namesIn(singleHeader(request, 'x-mcp-exclude-tools'), 'tool', tools)
  const isReadOnly = isReadOnlyPath(request) || /^(true|1|yes)$/i.test(singleHeader(request, 'x-mcp-readonly') ?? '')
  if (sets.size === 0 && named.size === 0) sets.add('default')
  return {
    includes: (tool) =>
      !excluded.has(tool.name) && (tool.isReadOnly || !isReadOnly) && (named.has(tool.name) || (!tool.showsSecret && isInSet(tool, sets))),
    fixed: {
      ...fixedField(request, 'team_id', 'x-earshot-team'),
      ...fixedField(request, 'project_id', 'x-earshot-project'),
    },
  }
}

/** Says how to get a tool that exists, but not on this connection. */
export function howToSelect({ name, toolset, showsSecret }: Tool): string {
  if (showsSecret) return `${name} handles secrets, so that only the header "X-MCP-Tools: ${name}" selects it.`
  return `This connection does not have ${name}. The header "X-MCP-Toolsets: default,${toolset}" selects it, unless the connection is read-only or excludes it.`
}

function isToolset(name: string, tools: ReadonlyMap<string, Tool>): boolean {
  return name === 'default' || name === 'all' || [...tools.values()].some(({ toolset }) => toolset === name)
}

function isInSet({ name, toolset }: Tool, sets: ReadonlySet<string>): boolean {
  return sets.has('all') || sets.has(toolset) || (sets.has('default') && DEFAULT_TOOLS.has(name))
}

function isReadOnlyPath({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.endsWith('/read-only') ?? false
}

function namesIn(list: string | undefined, what: string, known: { has: (name: string) => boolean }): Set<string> {
  const names = (list ?? '').split(',', MAX_NAMES).flatMap((name) => name.trim().toLowerCase() || [])
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) throw new ApiError('validation_error', { detail: `There is no ${what} ${unknown.slice(0, 100)}.` })
  return new Set(names)
}

function fixedField(request: FastifyRequest, field: string, header: string): Record<string, string> {
  const id = singleHeader(request, header)
  if (id === undefined) return {}
  if (!UUID.test(id)) throw new ApiError('validation_error', { detail: `The header ${header} must be a UUID.` })
  return { [field]: id }
}
