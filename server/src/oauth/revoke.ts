import { revokeOAuthToken } from '@earshot/db'
import type { FastifyInstance } from 'fastify'
import { hashToken } from '../auth/token-values.ts'
import { countGuest, type PageOptions } from '../pages/page-request.ts'
import { readClaim, requireClient } from './client.ts'
import { readParameters, requireParameter } from './parameters.ts'
import { REVOCATION_PATH } from './paths.ts'

/** Where a client gives a token back (RFC 7009). The hint is not needed: one look finds either kind. */
export function registerRevocation(scope: FastifyInstance, options: PageOptions): void {
  const { database } = options
  scope.post(REVOCATION_PATH, async (request, reply) => {
    const parameters = readParameters(request)
    const client = await requireClient(database, readClaim(request.headers.authorization, parameters))
    const hash = hashToken(requireParameter(parameters, 'token'))
    const wasOurs = await revokeOAuthToken(database, { hash, clientId: client.id, ip: request.ip })
    // What was no token of the client's is gone as it wished (RFC 7009 §2.2), and counted, for anybody can ask.
    if (!wasOurs) await countGuest(request, reply, options)
    return {}
  })
}
