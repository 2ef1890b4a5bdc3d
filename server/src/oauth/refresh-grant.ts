import { type Rotation, rotateRefreshToken } from '@earshot/db/oauth'
import OAuth2Server from '@node-oauth/oauth2-server'
import { hashToken } from '../auth/token-values.ts'
import { readScope } from './parameters.ts'
import { type OAuthErrorName, OAuthRefusal } from './refusal.ts'
import { engineToken, type GrantContext, makeTokenValues, storedPair } from './token-pair.ts'

const refusals: Record<Exclude<Rotation['outcome'], 'rotated'>, OAuthErrorName> = {
  unknown: 'invalid_grant',
  expired: 'invalid_grant',
  reused: 'invalid_grant',
  raced: 'invalid_grant',
  invalid_scope: 'invalid_scope',
}

/**
 * Replaces the engine's refresh grant, which takes several steps and has no token families. Of two simultaneous requests one
 * gets the next token, and a second use ends the family (RFC 9700 §4.14.2).
 */
export function refreshGrant({ database, reuseLeewaySeconds }: GrantContext): typeof OAuth2Server.AbstractGrantType {
  return class extends OAuth2Server.AbstractGrantType {
    async handle({ body }: OAuth2Server.Request, client: OAuth2Server.Client): Promise<OAuth2Server.Token> {
      const values = makeTokenValues()
      const { accessHash, accessSeconds, refreshHash, refreshSeconds } = storedPair(values)
      const rotation = await rotateRefreshToken(database, {
        hash: hashToken(body.refresh_token),
        kind: 'oauth2',
        clientId: client.id,
        scopes: readScope(body),
        nextHash: refreshHash,
        nextExpiresAt: inSeconds(refreshSeconds),
        accessHash,
        accessExpiresAt: inSeconds(accessSeconds),
        leewaySeconds: reuseLeewaySeconds,
      })
      if (rotation.outcome !== 'rotated') throw new OAuthRefusal(refusals[rotation.outcome])
      return engineToken(values, { client, userId: rotation.user_id, scopes: rotation.scopes })
    }
  }
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString()
}
