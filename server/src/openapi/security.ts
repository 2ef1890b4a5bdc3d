import { isSignedIn, type Operation, scopeMeanings } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'

const SCHEME = 'personalAccessToken'

/** The ways to sign in. */
export function securitySchemes(): Record<string, oas31.SecuritySchemeObject> {
  const rows = Object.entries(scopeMeanings).map(([scope, meaning]) => `| \`${scope}\` | ${meaning} |`)
  return {
    [SCHEME]: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'svc_…',
      description: [
        'A personal access token in the header `Authorization: Bearer svc_…`. Never put it in an address: it is refused there.',
        'The narrower of its scopes and your role in the team decides, with every request. `write:x` does not include `read:x`. The scopes:',
        ['| scope | meaning |', '|---|---|', ...rows].join('\n'),
      ].join('\n\n'),
      'x-earshot-scopes': scopeMeanings,
    },
  }
}

/** What a caller must show. OpenAPI 3.1 lets a bearer scheme name its scopes as roles (§4.8.30). */
export function securityOf(operation: Operation): oas31.SecurityRequirementObject[] {
  if (!isSignedIn(operation)) return []
  return [{ [SCHEME]: operation.scope ? [operation.scope] : [] }]
}
