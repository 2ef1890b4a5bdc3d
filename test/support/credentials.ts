import { type CredentialKind, type Scope, scopes } from '@earshot/contracts'
import { createSession, type Database } from '@earshot/db'
import { createOAuthClient, type OAuthClientRow } from '@earshot/db/oauth'
import { makeClientId, makeToken } from '@earshot/server'
import { login, type RequestSender } from './logins.ts'
import { givePassword } from './people.ts'
import type { TestService } from './test-service.ts'

/** A running service, in this process or in another, and its database. */
type Service = RequestSender & Pick<TestService, 'database'>

/** How a request presents a credential. */
export interface PresentedCredential {
  token?: string
  headers?: Record<string, string>
}

const DAY_MS = 86_400_000

/** Scopes that an OAuth client can have: all but those of tokens. */
export const OAUTH_SCOPES = scopes.filter((scope) => !scope.endsWith(':tokens'))

/** Registers an OAuth client. */
export function registerClient(
  database: Database,
  fields: { clientId?: string; name?: string; secretHash?: Buffer; redirectUris?: string[]; grantTypes?: string[]; scopes?: Scope[] } = {},
): Promise<OAuthClientRow> {
  return createOAuthClient(database, {
    ...{ clientId: makeClientId(), name: 'Test application', secretHash: null, redirectUris: [], grantTypes: [], scopes: [] },
    ...fields,
  })
}

/** Lets a client, the CLI unless given, act for a user. Returns the id of the credential, whose tokens last an hour. */
export async function allowClient(
  database: Database,
  userId: string,
  { client, scopes: allowed, refreshHash }: { client?: OAuthClientRow; scopes?: readonly Scope[]; refreshHash?: Buffer } = {},
): Promise<string> {
  const [credential] = await database.run<{ id: string }>(
    `insert into credentials (kind, user_id, client_id, scopes, expires_at)
     select 'oauth2', $1, id, coalesce($3::text[], scopes), now() + interval '1 hour'
       from oauth_clients
      where client_id = $2
     returning id`,
    [userId, client?.client_id ?? 'earshot-cli', allowed ?? null],
  )
  const id = credential?.id ?? ''
  if (refreshHash)
    await database.run("insert into refresh_tokens (hash, credential_id, expires_at) values ($1, $2, now() + interval '1 hour')", [
      refreshHash,
      id,
    ])
  return id
}

/** Makes a credential of one kind for a person, with all scopes that the kind can have. */
export async function makeCredential(service: Service, userId: string, kind: CredentialKind): Promise<PresentedCredential> {
  if (kind === 'session') return { headers: await beginPageSession(service, userId) }
  if (kind === 'jwt') return loginAs(service, userId)
  const bearers = await makeBearers(service, userId, await registerClient(service.database))
  return { token: bearers.find((bearer) => bearer.kind === kind)?.token ?? '' }
}

export interface Bearer {
  kind: 'pat' | 'oauth2'
  scopes: readonly Scope[]
  token: string
}

/** Makes tokens of a person: for each kind one with all scopes, and for each scope one with it alone and one with all others. */
export async function makeBearers({ database }: Service, userId: string, client: OAuthClientRow): Promise<Bearer[]> {
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
    [userId, client.id, OAUTH_SCOPES, rows('oauth2')],
  )
  return bearers
}

/** Begins a session and returns the headers that a page of the service sends. */
export async function beginPageSession({ database }: Service, userId: string): Promise<Record<string, string>> {
  const { token, hash } = makeToken()
  const expiresAt = new Date(Date.now() + 30 * DAY_MS).toISOString()
  await createSession(database, { hash, userId, expiresAt, ip: '127.0.0.1', userAgent: null })
  return { cookie: `earshot_session=${token}`, 'sec-fetch-site': 'same-origin' }
}

/** Logs a user in at the endpoint, with the common password. */
export async function loginAs(service: Service, userId: string): Promise<PresentedCredential> {
  await givePassword(service.database, userId)
  const [user] = await service.database.run<{ email: string }>('select email from users where id = $1', [userId])
  const { access } = await login(service, user?.email ?? '')
  return { token: access }
}
