import { MCP_PATH } from './paths.ts'
import { OAuthRefusal } from './refusal.ts'

/**
 * Reads the resource that a client wants to use (RFC 8707 §2): the service, or its MCP server, on whichever of its paths. Returns the
 * identifier that the metadata of the resource has, null without one. Throws `invalid_target` for any other.
 */
export function readResource({ resource }: { resource?: string | undefined }, baseUrl: string): string | null {
  if (resource === undefined) return null
  const path = pathBelow(resource, baseUrl)
  if (path === '' || path === '/') return baseUrl
  if (path !== null && (path === MCP_PATH || path.startsWith(`${MCP_PATH}/`))) return baseUrl + MCP_PATH
  throw new OAuthRefusal('invalid_target')
}

/** Compares as URLs, since clients write hosts and ports in several ways. The identifier has no fragment (RFC 8707 §2). */
function pathBelow(resource: string, baseUrl: string): string | null {
  if (!URL.canParse(resource) || resource.includes('#')) return null
  const { origin, pathname, search, username } = new URL(resource)
  return origin === new URL(baseUrl).origin && search === '' && username === '' ? pathname : null
}
