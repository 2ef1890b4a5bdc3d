import { revokeOAuthToken } from '@earshot/db/oauth'
import type { FastifyInstance } from 'fastify'
import { hashToken } from '../auth/token-values.ts'
import { countGuest, type PageOptions } from '../pages/page-request.ts'
import { readClaim, requireClient } from './client.ts'
import { readParameters, requireParameter } from './parameters.ts'
import { REVOCATION_PATH } from './paths.ts'

/** The endpoint where a client revokes a token (RFC 7009). It ignores the hint: one query finds either kind of token. */
export function registerRevocation(scope: FastifyInstance, options: PageOptions): void {
  const { database } = options
  scope.post(REVOCATION_PATH, async (request, reply) => {
    const parameters = readParameters(request)
    const client = await requireClient(database, readClaim(request.headers.authorization, parameters))
    const hash = hashToken(requireParameter(parameters, 'token'))
    const isRevoked = await revokeOAuthToken(database, { hash, clientId: client.id, ip: request.ip })
    // An unknown token is a success (RFC 7009 §2.2), but counted, because anybody can send it.
    if (!isRevoked) await countGuest(request, reply, options)
    return {}
  })
}
