/** Paths of the OAuth endpoints and pages. Clients find them in the metadata. */
export const AUTHORIZATION_PATH = '/o/authorize/'
export const TOKEN_PATH = '/o/token/'
export const DEVICE_AUTHORIZATION_PATH = '/o/device-authorization/'
export const DEVICE_PATH = '/o/device/'
export const REVOCATION_PATH = '/o/revoke/'
export const INTROSPECTION_PATH = '/o/introspect/'
/** The MCP server, a resource of its own (RFC 9728). */
export const MCP_PATH = '/mcp'
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'
