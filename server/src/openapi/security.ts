import { type Operation, type Scope, scopeDescriptions } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'
import { sessionCookieName } from '../auth/session-engine.ts'
import { AUTHORIZATION_PATH, DEVICE_AUTHORIZATION_PATH, TOKEN_PATH } from '../oauth/paths.ts'
import { isGrantable } from '../oauth/scopes.ts'

/** The ways to sign in. */
export function securitySchemes(baseUrl: string): Record<string, oas31.SecuritySchemeObject> {
  const rows = Object.entries(scopeDescriptions).map(([scope, meaning]) => `| \`${scope}\` | ${meaning} |`)
  return {
    personalAccessToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'svc_…',
      description: [
        'A personal access token in the header `Authorization: Bearer svc_…`. Never put it in an address: it is refused there.',
        'The narrower of its scopes and your role in the team decides, with every request. `write:x` does not include `read:x`. The scopes:',
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
        'For a front end of your own, against your own account: the `access` of `POST /api/auth/token/` in the header `Authorization: Bearer …`. It carries every scope; your role decides.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName(baseUrl),
      description:
        'For the pages of this service themselves: other sites can neither read nor write with it. It carries every scope; your role decides.',
    },
  }
}

/** What a caller must show, any one of them. OpenAPI 3.1 lets a bearer scheme name its scopes as roles (§4.8.30). */
export function securityOf(operation: Operation): oas31.SecurityRequirementObject[] {
  if (operation.access !== 'credential') return []
  const { scope } = operation
  const needed = scope ? [scope] : []
  return [{ personalAccessToken: needed }, ...(!scope || isGrantable(scope) ? [{ oauth2: needed }] : []), { jwt: [] }, { session: [] }]
}

/** OpenAPI 3.1 has no field for the device flow: it is told in words. */
function oauth2Scheme(baseUrl: string): oas31.SecuritySchemeObject {
  const scopes = Object.entries(scopeDescriptions).filter(([scope]) => isGrantable(scope as Scope))
  return {
    type: 'oauth2',
    description: [
      'For a tool that acts for other people: each allows it what they choose, and withdraws it when they like. Clients are registered by the operator.',
      'Code flow with PKCE (S256 alone); access tokens last an hour, refresh tokens 30 days, and each use of one gives the next.',
      `Device flow (RFC 8628) for programs without a browser: ask \`POST ${DEVICE_AUTHORIZATION_PATH}\`, show the code, and poll \`POST ${TOKEN_PATH}\`.`,
      'All of it is found at `/.well-known/oauth-authorization-server` (RFC 8414).',
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
