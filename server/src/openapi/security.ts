import { type Operation, type Scope, scopeDescriptions } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'
import { sessionCookieName } from '../auth/session-engine.ts'
import { AUTHORIZATION_PATH, DEVICE_AUTHORIZATION_PATH, TOKEN_PATH } from '../oauth/paths.ts'
import { isGrantable } from '../oauth/scopes.ts'

/** The security schemes of the API. */
export function securitySchemes(baseUrl: string): Record<string, oas31.SecuritySchemeObject> {
  const rows = Object.entries(scopeDescriptions).map(([scope, meaning]) => `| \`${scope}\` | ${meaning} |`)
  return {
    personalAccessToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'svc_…',
      description: [
        'A personal access token in the header `Authorization: Bearer svc_…`. Never put it in a URL: such requests are refused.',
        'Each request needs both the scope and the role in the team. `write:x` does not include `read:x`. The scopes:',
        ['| scope | meaning |', '|---|---|', ...rows].join('\n'),
      ].join('\n\n'),
      'x-earshot-scopes': scopeDescriptions,
    },
    oauth2: oauth2Scheme(baseUrl),
    jwt: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'For your own front end and account: the `access` token of `POST /api/auth/token/` in the header `Authorization: Bearer …`. It has every scope; your role in the team still applies.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName(baseUrl),
      description:
        'For the pages of this service: other sites can neither read nor write with it. It has every scope; your role in the team still applies.',
    },
  }
}

/** The schemes that an operation accepts. OpenAPI 3.1 allows a bearer scheme to list its scopes as roles (§4.8.30). */
export function securityOf(operation: Operation): oas31.SecurityRequirementObject[] {
  if (operation.access !== 'credential') return []
  const { scope } = operation
  const needed = scope ? [scope] : []
  return [{ personalAccessToken: needed }, ...(!scope || isGrantable(scope) ? [{ oauth2: needed }] : []), { jwt: [] }, { session: [] }]
}

/** OpenAPI 3.1 has no field for the device flow, so the description covers it. */
function oauth2Scheme(baseUrl: string): oas31.SecuritySchemeObject {
  const scopes = Object.entries(scopeDescriptions).filter(([scope]) => isGrantable(scope as Scope))
  return {
    type: 'oauth2',
    description: [
      'For applications that act for other people, who authorize them and can revoke the access at any time. The operator registers clients.',
      'Authorization code flow with PKCE (S256 only). Access tokens last an hour, refresh tokens 30 days; each refresh token works once and returns the next one.',
      `Device flow (RFC 8628) for programs without a browser: send \`POST ${DEVICE_AUTHORIZATION_PATH}\`, show the code, and poll \`POST ${TOKEN_PATH}\`.`,
      'The metadata is at `/.well-known/oauth-authorization-server` (RFC 8414).',
    ].join('\n\n'),
    flows: {
      authorizationCode: {
        authorizationUrl: baseUrl + AUTHORIZATION_PATH,
        tokenUrl: baseUrl + TOKEN_PATH,
        refreshUrl: baseUrl + TOKEN_PATH,
        scopes: Object.fromEntries(scopes),
      },
    },
  }
}
