import type { Tx } from '@earshot/db'
import type { TokenPair } from '@earshot/db/oauth'
import type OAuth2Server from '@node-oauth/oauth2-server'
import { hashToken, makeToken } from '../auth/token-values.ts'
import { lifetimes } from './lifetimes.ts'

/** The engine rounds the remaining lifetime down. With this, `expires_in` is 3600. */
const ROUNDING_MS = 999

/** The dependencies of the grants. */
export interface GrantContext {
  database: Tx
  reuseLeewaySeconds: number
}

/** The values of a new pair, which only the client receives. */
export interface TokenValues {
  accessToken: string
  refreshToken: string
}

export function makeTokenValues(): TokenValues {
  return { accessToken: makeToken('sva_').token, refreshToken: makeToken('svr_').token }
}

/** The columns that the database stores of a pair. */
export function storedPair({ accessToken, refreshToken }: TokenValues): TokenPair {
  return {
    accessHash: hashToken(accessToken),
    accessSeconds: lifetimes.access,
    refreshHash: hashToken(refreshToken),
    refreshSeconds: lifetimes.refresh,
  }
}

/** A pair as the engine represents it. */
export function engineToken(
  values: TokenValues,
  { client, userId, scopes }: { client: OAuth2Server.Client; userId: string; scopes: string[] },
): OAuth2Server.Token {
  const accessTokenExpiresAt = new Date(Date.now() + lifetimes.access * 1_000 + ROUNDING_MS)
  return { ...values, accessTokenExpiresAt, scope: scopes, client, user: { id: userId } }
}
