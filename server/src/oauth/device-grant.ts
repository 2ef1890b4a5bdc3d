import { type DevicePoll, pollDeviceCode } from '@earshot/db/oauth'
import OAuth2Server from '@node-oauth/oauth2-server'
import { hashToken } from '../auth/token-values.ts'
import { OAuthRefusal } from './refusal.ts'
import { engineToken, type GrantContext, makeTokenValues, storedPair } from './token-pair.ts'

/** The errors of a poll. A known device code is never counted as a failed attempt, however often the device polls. */
const refusals: Record<Exclude<DevicePoll['outcome'], 'granted'>, () => OAuthRefusal> = {
  unknown: () => new OAuthRefusal('invalid_grant'),
  expired: () => new OAuthRefusal('expired_token', { isCounted: false }),
  denied: () => new OAuthRefusal('access_denied', { isCounted: false }),
  pending: () => new OAuthRefusal('authorization_pending', { isCounted: false }),
  slow_down: () => new OAuthRefusal('slow_down', { isCounted: false }),
}

/** The device grant (RFC 8628 §3.4), which the engine lacks. A poll is one round trip. */
export function deviceGrant({ database }: GrantContext): typeof OAuth2Server.AbstractGrantType {
  return class extends OAuth2Server.AbstractGrantType {
    async handle({ body }: OAuth2Server.Request, client: OAuth2Server.Client): Promise<OAuth2Server.Token> {
      const values = makeTokenValues()
      const device = { hash: hashToken(body.device_code), clientId: client.id }
      const poll = await pollDeviceCode(database, device, storedPair(values))
      if (poll.outcome !== 'granted') throw refusals[poll.outcome]()
      return engineToken(values, { client, userId: poll.user_id, scopes: poll.scopes })
    }
  }
}
