import type { Scope } from '@earshot/contracts'
import type { Tx, UserActor } from '@earshot/db'
import { createAuthorizationCode, findOAuthClient, issueTokens, type OAuthClientRow, takeAuthorizationCode } from '@earshot/db/oauth'
import type OAuth2Server from '@node-oauth/oauth2-server'
import { hashToken, makeCode, makeToken } from '../auth/token-values.ts'
import { findClaimedClient } from './client.ts'
import { lifetimes } from './lifetimes.ts'
import { matchesRedirectUri } from './redirect-uri.ts'
import { engineToken, storedPair } from './token-pair.ts'

/** A person's consent to a client's request. */
export interface Consent {
  database: Tx
  actor: UserActor
  question: { clientId: string; redirectUri: string; scopes: readonly Scope[]; codeChallenge: string; resource: string | null }
}

/** The engine's model for the consent page. */
export function consentModel({ database, actor, question }: Consent): OAuth2Server.AuthorizationCodeModel {
  const { redirectUri, scopes, codeChallenge, resource } = question
  return {
    ...unused,
    async getClient(clientId) {
      const row = await findOAuthClient(database, clientId)
      return row && engineClient(row)
    },
    validateRedirectUri: async (uri, { redirectUris }) => matchesRedirectUri([redirectUris ?? []].flat(), uri),
    validateScope: async (_user, client, asked = []) => asked.every((scope) => client.scopes.includes(scope)) && asked,
    generateAuthorizationCode: async () => makeCode(),
    async saveAuthorizationCode(code, client, user) {
      const hash = hashToken(code.authorizationCode)
      const row = { hash, clientId: client.id, scopes, resource, redirectUri, codeChallenge, lifetimeSeconds: lifetimes.code }
      await createAuthorizationCode(database, actor, row)
      return { ...code, client, user }
    },
  }
}

/** The engine's model for the token endpoint. Each request has its own, because a code is found by its client. */
export function tokenModel(database: Tx): OAuth2Server.AuthorizationCodeModel {
  let client: OAuth2Server.Client | null = null
  return {
    ...unused,
    // The engine does not require a secret when there is a `code_verifier`; this refuses confidential clients without one.
    async getClient(clientId, clientSecret: string | undefined) {
      const row = await findClaimedClient(database, { clientId, clientSecret })
      client = row && engineClient(row)
      return client
    },
    // The code is used up before verifier and redirect_uri are compared, so each code has one attempt.
    async getAuthorizationCode(code) {
      const row = client && (await takeAuthorizationCode(database, { hash: hashToken(code), clientId: client.id }))
      if (!row || !client) return null
      return {
        authorizationCode: code,
        // The database has checked its expiry, by its own clock.
        expiresAt: new Date(Date.now() + lifetimes.code * 1_000),
        redirectUri: row.redirect_uri,
        codeChallenge: row.code_challenge,
        codeChallengeMethod: 'S256',
        scope: row.scopes,
        client,
        user: { id: row.user_id, credentialId: row.credential_id },
      }
    },
    revokeAuthorizationCode: async () => true,
    generateAccessToken: async () => makeToken('sva_').token,
    generateRefreshToken: async () => makeToken('svr_').token,
    async saveToken({ accessToken, refreshToken = '', scope = [] }, tokenClient, { id, credentialId }) {
      const values = { accessToken, refreshToken }
      // The scopes come from the code's row, through the engine.
      await issueTokens(database, { credentialId, scopes: scope as Scope[] }, storedPair(values))
      return engineToken(values, { client: tokenClient, userId: id, scopes: scope })
    },
  }
}

function engineClient({ id, client_id, redirect_uris, grant_types, scopes }: OAuthClientRow): OAuth2Server.Client {
  return { id, clientId: client_id, redirectUris: redirect_uris, grants: grant_types, scopes }
}

const unexpected = () => {
  throw new Error('The OAuth engine called a method of the model that should not be needed')
}

const unused = {
  getClient: unexpected,
  getAccessToken: unexpected,
  getAuthorizationCode: unexpected,
  saveAuthorizationCode: unexpected,
  revokeAuthorizationCode: unexpected,
  saveToken: unexpected,
} satisfies OAuth2Server.AuthorizationCodeModel
