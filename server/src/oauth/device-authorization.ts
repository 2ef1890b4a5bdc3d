import { ApiError } from '@earshot/contracts'
import { createDeviceCode } from '@earshot/db/oauth'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hashToken, makeCode } from '../auth/token-values.ts'
import { countGuest, type PageOptions } from '../pages/page-request.ts'
import { readClaim, requireClient } from './client.ts'
import { DEVICE_CODE } from './grant-types.ts'
import { DEVICE_INTERVAL_SECONDS, lifetimes } from './lifetimes.ts'
import { readParameters, readScope } from './parameters.ts'
import { DEVICE_AUTHORIZATION_PATH, DEVICE_PATH } from './paths.ts'
import { OAuthRefusal } from './refusal.ts'
import { readResource } from './resource.ts'
import { requireScopes } from './scopes.ts'
import { makeUserCode, userCodeMac } from './user-code.ts'

/** Two equal user codes are a chance of one in millions, even while ten thousand devices wait. */
const MAX_TRIES = 5

/** The endpoint where a device without a browser requests its codes (RFC 8628 §3.1). */
export function registerDeviceAuthorization(scope: FastifyInstance, options: PageOptions): void {
  scope.post(DEVICE_AUTHORIZATION_PATH, async (request, reply) => {
    const device = await readDevice(request, options)
    // Anybody can send requests in the name of a public client, and each stores a row, so successes count too.
    await countGuest(request, reply, options)
    const codes = await keepCodes(device, options)
    const page = options.baseUrl + DEVICE_PATH
    return {
      device_code: codes.deviceCode,
      user_code: codes.userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${codes.userCode}`,
      expires_in: lifetimes.device,
      interval: DEVICE_INTERVAL_SECONDS,
    }
  })
}

/** Reads the client and its scopes. */
async function readDevice(request: FastifyRequest, { database, baseUrl }: PageOptions) {
  const parameters = readParameters(request)
  const client = await requireClient(database, readClaim(request.headers.authorization, parameters))
  if (!client.grant_types.includes(DEVICE_CODE)) throw new OAuthRefusal('unauthorized_client')
  return { clientId: client.id, scopes: requireScopes(client, readScope(parameters)), resource: readResource(parameters, baseUrl) }
}

async function keepCodes(device: Awaited<ReturnType<typeof readDevice>>, { database, services }: PageOptions) {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const deviceCode = makeCode()
    const userCode = makeUserCode()
    const hashes = { hash: hashToken(deviceCode), userCodeMac: userCodeMac(services.secretBox, userCode) }
    if (await createDeviceCode(database, { ...device, ...hashes, lifetimeSeconds: lifetimes.device })) return { deviceCode, userCode }
  }
  throw new ApiError('dependency_unavailable', { retryAfterSeconds: 1 })
}
