import { type CredentialKind, Plan, type Role, roles, type Scope, scopes } from '@earshot/contracts'
import { addTeamMember, createSession } from '@earshot/db'
import { hashPassword, makeToken } from '@earshot/server'
import { decodeJwt } from 'jose'
import { sign, signingKeyOf } from '../../support/jwt-keys.ts'
import { login, type Sender } from '../../support/logins.ts'
import { makeTeam, makeUser, PASSWORD, type Team } from '../../support/people.ts'
import type { TestService } from '../../support/test-service.ts'

/** A running service, in this process or in another, and its database. */
type Service = Sender & Pick<TestService, 'database'>

/** How a request of the matrix says who calls. */
export interface Shown {
  token?: string
  headers?: Record<string, string>
}

/** Which scopes a credential has, seen from an operation: its own alone, all but its own, or all. */
export type ScopeChoice = 'right' | 'wrong' | 'all'

/** Teams on each plan, a person in each role, and credentials of each kind for each of them. */
export interface World {
  teams: ReadonlyMap<Plan, Team>
  /** Credentials that are over, by what is wrong with them. */
  dead: readonly { what: string; code: string; shown: Shown }[]
  credentialOf: (who: { plan: Plan; role: Role; kind: CredentialKind; scopes: readonly Scope[] }) => Shown
}

const DAY_MS = 86_400_000
const passwordHash = hashPassword(PASSWORD)

/** OAuth clients are not given those of tokens. */
export const OAUTH_SCOPES = scopes.filter((scope) => !scope.endsWith(':tokens'))

export async function makeWorld(service: TestService): Promise<World> {
  const { database } = service
  const teams = new Map<Plan, Team>()
  const known = new Map<string, Shown>()
  const keyOf = (who: { plan: Plan; role: Role; kind: CredentialKind; scopes: readonly Scope[] }) =>
    [who.plan, who.role, who.kind, [...who.scopes].sort().join(' ')].join('|')
  const clientId = await makeClient(service)

  for (const plan of Plan.options) {
    const team = await makeTeam(database, { plan })
    teams.set(plan, team)
    for (const role of roles) {
      const user = await makeUser(database)
      await addTeamMember(database, { team_id: team.id, userId: user.id, role })
      const made = await makeBearers(service, user.id, clientId)
      for (const { kind, scopes: own, token } of made) known.set(keyOf({ plan, role, kind, scopes: own }), { token })
      known.set(keyOf({ plan, role, kind: 'session', scopes }), { headers: await beginSession(service, user.id) })
      known.set(keyOf({ plan, role, kind: 'jwt', scopes }), await loginAs(service, user.id))
    }
  }
  return {
    teams,
    dead: await makeDead(service, clientId),
    credentialOf(who) {
      const shown = known.get(keyOf(who))
      if (!shown) throw new Error(`nobody has made ${keyOf(who)}`)
      return shown
    },
  }
}

async function makeClient({ database }: Service): Promise<string> {
  const [client] = await database.run<{ id: string }>(
    "insert into oauth_clients (client_id, name, redirect_uris, grant_types, scopes) values (gen_random_uuid()::text, 'Matrix', '{}', '{}', '{}') returning id",
    [],
  )
  return client?.id ?? ''
}

interface Bearer {
  kind: 'pat' | 'oauth2'
  scopes: readonly Scope[]
  token: string
}

/** Makes a credential of one kind for a person, with all scopes that the kind can have. */
export async function makeCredential(service: Service, userId: string, kind: CredentialKind): Promise<Shown> {
  if (kind === 'session') return { headers: await beginSession(service, userId) }
  if (kind === 'jwt') return loginAs(service, userId)
  const bearers = await makeBearers(service, userId, await makeClient(service))
  return { token: bearers.find((bearer) => bearer.kind === kind)?.token ?? '' }
}

/** For each scope two tokens of each kind, with it alone and with all but it, and one with all. */
async function makeBearers({ database }: Service, userId: string, clientId: string): Promise<Bearer[]> {
  const bearers = (['pat', 'oauth2'] as const).flatMap((kind) => {
    const all: readonly Scope[] = kind === 'pat' ? scopes : OAUTH_SCOPES
    const sets = [all, ...all.flatMap((scope) => [[scope], all.filter((other) => other !== scope)])]
    return sets.map((own): Bearer & { hash: string } => {
      const { token, hash } = makeToken(kind === 'pat' ? 'svc_' : 'sva_')
      return { kind, scopes: own, token, hash: hash.toString('hex') }
    })
  })
  const rows = (kind: string) =>
    JSON.stringify(bearers.filter((one) => one.kind === kind).map(({ hash, scopes: own }) => ({ hash, scopes: own })))
  await database.run(
    `insert into credentials (kind, hash, user_id, name, hint, scopes)
     select 'pat', decode(b.hash, 'hex'), $1, 'Matrix', 'hint', b.scopes
       from jsonb_to_recordset($2::jsonb) as b (hash text, scopes text[])`,
    [userId, rows('pat')],
  )
  await database.run(
    `with allowed as (
       insert into credentials (kind, user_id, client_id, scopes) values ('oauth2', $1, $2, $3::text[]) returning id
     )
     insert into access_tokens (hash, credential_id, scopes, expires_at)
     select decode(b.hash, 'hex'), allowed.id, b.scopes, now() + interval '1 hour'
       from allowed, jsonb_to_recordset($4::jsonb) as b (hash text, scopes text[])`,
    [userId, clientId, OAUTH_SCOPES, rows('oauth2')],
  )
  return bearers
}

/** As a page of our own sends it. */
async function beginSession({ database }: Service, userId: string): Promise<Record<string, string>> {
  const { token, hash } = makeToken()
  const expiresAt = new Date(Date.now() + 30 * DAY_MS).toISOString()
  await createSession(database, { hash, userId, expiresAt, ip: '127.0.0.1', userAgent: null })
  return { cookie: `earshot_session=${token}`, 'sec-fetch-site': 'same-origin' }
}

/** By the endpoint, with a password of the user's own. */
async function loginAs(service: Service, userId: string): Promise<Shown> {
  const [user] = await service.database.run<{ email: string }>('update users set password_hash = $2 where id = $1 returning email', [
    userId,
    await passwordHash,
  ])
  const { access } = await login(service, user?.email ?? '')
  return { token: access }
}

/** As the service would have signed it some time ago. */
async function showEndedJwt(service: TestService, userId: string): Promise<Shown> {
  const { token = '' } = await loginAs(service, userId)
  const { kid, privateJwk } = await signingKeyOf(service)
  const exp = Math.floor(Date.now() / 1000) - 60
  return { token: await sign(privateJwk, { alg: 'EdDSA', typ: 'at+jwt', kid }, { ...decodeJwt(token), exp }) }
}

/** What never was a credential, and of each kind one that ended and one that was taken back. */
async function makeDead(service: TestService, clientId: string): Promise<World['dead']> {
  const { database } = service
  const end = async (what: string, code: string, change: string, make: (userId: string) => Promise<Shown>) => {
    const user = await makeUser(database)
    const shown = await make(user.id)
    await database.run(change, [user.id])
    return { what, code, shown }
  }
  const bearer = (kind: 'pat' | 'oauth2') => async (userId: string) => {
    const [first] = (await makeBearers(service, userId, clientId)).filter((one) => one.kind === kind)
    return { token: first?.token ?? '' }
  }
  const cookie = async (userId: string) => ({ headers: await beginSession(service, userId) })
  const revoked = 'update credentials set revoked_at = now() where user_id = $1'
  const ended = "update credentials set expires_at = now() - interval '1 second' where user_id = $1"
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
    await end('revoked log-in', 'invalid_token', revoked, (userId) => loginAs(service, userId)),
    await end('expired log-in', 'token_expired', ended, (userId) => loginAs(service, userId)),
    await end('expired JWT of a log-in that goes on', 'token_expired', 'select $1::uuid', (userId) => showEndedJwt(service, userId)),
    await end('deleted session', 'invalid_token', revoked, cookie),
    await end('expired session', 'token_expired', ended, cookie),
    await end("disabled user's token", 'invalid_token', 'update users set disabled_at = now() where id = $1', bearer('pat')),
  ]
}
