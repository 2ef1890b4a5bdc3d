import { scopes } from '@earshot/contracts'
import type { FastifyInstance } from 'fastify'
import type { PageOptions } from '../pages/page-request.ts'
import { grantParameters } from './grant-types.ts'
import {
  AUTHORIZATION_PATH,
  DEVICE_AUTHORIZATION_PATH,
  INTROSPECTION_PATH,
  MCP_PATH,
  RESOURCE_METADATA_PATH,
  REVOCATION_PATH,
  TOKEN_PATH,
} from './paths.ts'
import { isGrantable } from './scopes.ts'

const WITH_SECRET = ['client_secret_basic', 'client_secret_post']
const ANY_CLIENT = [...WITH_SECRET, 'none']

/** Serves the metadata of the authorization server (RFC 8414) and of the resources that its tokens are for (RFC 9728 §3). */
export function registerMetadata(app: FastifyInstance, { baseUrl }: PageOptions): void {
  const resources = [resourceAt(baseUrl, ''), resourceAt(baseUrl, MCP_PATH)]
  const metadata = {
    issuer: baseUrl,
    authorization_endpoint: baseUrl + AUTHORIZATION_PATH,
    token_endpoint: baseUrl + TOKEN_PATH,
    device_authorization_endpoint: baseUrl + DEVICE_AUTHORIZATION_PATH,
    revocation_endpoint: baseUrl + REVOCATION_PATH,
    introspection_endpoint: baseUrl + INTROSPECTION_PATH,
    scopes_supported: scopes.filter(isGrantable),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: Object.keys(grantParameters),
    token_endpoint_auth_methods_supported: ANY_CLIENT,
    revocation_endpoint_auth_methods_supported: ANY_CLIENT,
    introspection_endpoint_auth_methods_supported: WITH_SECRET,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    // Of clients that the operator has registered by the address of their document; none is fetched.
    client_id_metadata_document_supported: true,
    protected_resources: resources.map(({ resource }) => resource),
    service_documentation: `${baseUrl}/api/docs/`,
  }
  app.get('/.well-known/oauth-authorization-server', async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=300')
    return metadata
  })
  for (const { path, ...resource } of resources) {
    app.get(RESOURCE_METADATA_PATH + path, async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300')
      return resource
    })
  }
}

/** The metadata of a resource stand at its path below the well-known one (RFC 9728 §3.1). */
function resourceAt(baseUrl: string, path: string) {
  return {
    path,
    resource: baseUrl + path,
    resource_name: path === '' ? 'Earshot' : 'Earshot MCP server',
    authorization_servers: [baseUrl],
    scopes_supported: scopes.filter(isGrantable),
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}/api/docs/`,
  }
}
