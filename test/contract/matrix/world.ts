import { type CredentialKind, type ErrorCode, Plan, type Role, roles, type Scope, scopes } from '@earshot/contracts'
import { addTeamMember } from '@earshot/db'
import type { OAuthClientRow } from '@earshot/db/oauth'
import { makeToken } from '@earshot/server'
import { decodeJwt } from 'jose'
import { beginPageSession, loginAs, makeBearers, type PresentedCredential, registerClient } from '../../support/credentials.ts'
import { sign, signingKeyOf } from '../../support/jwt-keys.ts'
import { makeTeam, makeUser, type Team } from '../../support/people.ts'
import type { TestService } from '../../support/test-service.ts'

/** The scopes of a credential: only the operation’s own, all but that, or all. */
export type ScopeChoice = 'right' | 'wrong' | 'all'

/** Teams on each plan, a person in each role, and credentials of each kind for each of them. */
export interface World {
  teams: ReadonlyMap<Plan, Team>
  /** Invalid credentials, by what is wrong with them. */
  invalid: readonly { what: string; code: ErrorCode; shown: PresentedCredential }[]
  credentialOf: (who: { plan: Plan; role: Role; kind: CredentialKind; scopes: readonly Scope[] }) => PresentedCredential
}

export async function makeWorld(service: TestService): Promise<World> {
  const { database } = service
  const teams = new Map<Plan, Team>()
  const known = new Map<string, PresentedCredential>()
  const keyOf = (who: { plan: Plan; role: Role; kind: CredentialKind; scopes: readonly Scope[] }) =>
    [who.plan, who.role, who.kind, [...who.scopes].sort().join(' ')].join('|')
  const client = await registerClient(database)

  for (const plan of Plan.options) {
    const team = await makeTeam(database, { plan })
    teams.set(plan, team)
    for (const role of roles) {
      const user = await makeUser(database)
      await addTeamMember(database, { team_id: team.id, userId: user.id, role })
      const made = await makeBearers(service, user.id, client)
      for (const { kind, scopes: own, token } of made) known.set(keyOf({ plan, role, kind, scopes: own }), { token })
      known.set(keyOf({ plan, role, kind: 'session', scopes }), { headers: await beginPageSession(service, user.id) })
      known.set(keyOf({ plan, role, kind: 'jwt', scopes }), await loginAs(service, user.id))
    }
  }
  return {
    teams,
    invalid: await makeInvalid(service, client),
    credentialOf(who) {
      const shown = known.get(keyOf(who))
      if (!shown) throw new Error(`nobody has made ${keyOf(who)}`)
      return shown
    },
  }
}

/** Signs an expired token with the service’s key. */
async function showEndedJwt(service: TestService, userId: string): Promise<PresentedCredential> {
  const { token = '' } = await loginAs(service, userId)
  const { kid, privateJwk } = await signingKeyOf(service)
  const exp = Math.floor(Date.now() / 1000) - 60
  return { token: await sign(privateJwk, { alg: 'EdDSA', typ: 'at+jwt', kid }, { ...decodeJwt(token), exp }) }
}

/** Makes invalid credentials: malformed ones, and of each kind an expired and a revoked one. */
async function makeInvalid(service: TestService, client: OAuthClientRow): Promise<World['invalid']> {
  const { database } = service
  const end = async (what: string, code: ErrorCode, change: string, make: (userId: string) => Promise<PresentedCredential>) => {
    const user = await makeUser(database)
    const shown = await make(user.id)
    await database.run(change, [user.id])
    return { what, code, shown }
  }
  const bearer = (kind: 'pat' | 'oauth2') => async (userId: string) => {
    const [first] = (await makeBearers(service, userId, client)).filter((one) => one.kind === kind)
    return { token: first?.token ?? '' }
  }
  const cookie = async (userId: string) => ({ headers: await beginPageSession(service, userId) })
  const revoked = 'update credentials set revoked_at = now() where user_id = $1'
  const ended = "update credentials set expires_at = now() - interval '1 second' where user_id = $1"
  const disabled = 'update users set disabled_at = now() where id = $1'
  const endedTokens =
    "update access_tokens set expires_at = now() - interval '1 second' where credential_id in (select id from credentials where user_id = $1)"
  return [
    { what: 'none', code: 'not_authenticated', shown: {} },
    { what: 'malformed token', code: 'invalid_token', shown: { token: 'svc_tooshort' } },
    { what: 'malformed access token', code: 'invalid_token', shown: { token: 'sva_tooshort' } },
    { what: "another service's token", code: 'invalid_token', shown: { token: 'ghp_0123456789abcdefghijABCDEFGHIJ' } },
    { what: 'token of a wrong checksum', code: 'invalid_token', shown: { token: `svc_${'0'.repeat(46)}` } },
    { what: 'unknown token', code: 'invalid_token', shown: { token: makeToken('svc_').token } },
    { what: 'unknown access token', code: 'invalid_token', shown: { token: makeToken('sva_').token } },
    { what: 'malformed JWT', code: 'invalid_token', shown: { token: 'eyJhbGciOiJub25lIn0.e30.c2ln' } },
    { what: 'refresh token', code: 'invalid_token', shown: { token: makeToken('svr_').token } },
    {
      what: 'unknown session',
      code: 'invalid_token',
      shown: { headers: { cookie: `earshot_session=${makeToken().token}` } },
    },
    await end('deleted token', 'invalid_token', revoked, bearer('pat')),
    await end('expired token', 'token_expired', ended, bearer('pat')),
    await end('withdrawn access token', 'invalid_token', revoked, bearer('oauth2')),
    await end('expired access token', 'token_expired', endedTokens, bearer('oauth2')),
    await end('revoked login', 'invalid_token', revoked, (userId) => loginAs(service, userId)),
    await end('expired login', 'token_expired', ended, (userId) => loginAs(service, userId)),
    await end('expired JWT of a login that goes on', 'token_expired', 'select $1::uuid', (userId) => showEndedJwt(service, userId)),
    await end('deleted session', 'invalid_token', revoked, cookie),
    await end('expired session', 'token_expired', ended, cookie),
    await end("disabled user's token", 'invalid_token', disabled, bearer('pat')),
    await end("disabled user's access token", 'invalid_token', disabled, bearer('oauth2')),
  ]
}
