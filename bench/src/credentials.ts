import { scopes } from '@earshot/contracts'
import type { Database } from '@earshot/db'
import { makeToken } from '@earshot/server'
import { PASSWORD, type Team } from './teams.ts'

/** OAuth clients cannot get the scopes of tokens. */
const OAUTH_SCOPES: string[] = scopes.filter((scope) => !scope.endsWith(':tokens'))

/** A team with the headers of each kind of credential of its owner. */
export interface SignedInTeam extends Team {
  headers: Record<'pat' | 'oauth2' | 'jwt' | 'session', Record<string, string>>
}

/** Creates credentials for each team's owner: session and JWT by password, OAuth by inserting a grant. */
export async function createCredentials(url: string, database: Database, teams: Team[]): Promise<SignedInTeam[]> {
  const [client] = await database.client<[{ id: string }]>`select id from oauth_clients where client_id = 'earshot-cli'`
  const signedIn: SignedInTeam[] = []
  for (const team of teams) {
    const [session, { access }] = await Promise.all([post(`${url}/api/auth/session/`, accountOf(team)), login(url, team)])
    const cookie = session.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    signedIn.push({
      ...team,
      headers: {
        pat: bearer(team.token),
        oauth2: bearer(await grant(database, team, client.id)),
        jwt: bearer(access),
        session: { cookie },
      },
    })
  }
  return signedIn
}

/** Logs in by password and returns the pair of tokens. */
export async function login(url: string, team: Team): Promise<{ access: string; refresh: string }> {
  const response = await post(`${url}/api/auth/token/`, accountOf(team))
  return (await response.json()) as { access: string; refresh: string } // As the contract says.
}

function accountOf({ ownerEmail }: Team): string {
  return JSON.stringify({ email: ownerEmail, password: PASSWORD })
}

async function grant({ client }: Database, { ownerEmail }: Team, clientId: string): Promise<string> {
  const { token, hash } = makeToken('sva_')
  await client`
    with granted as (
      insert into credentials (kind, user_id, client_id, scopes)
      select 'oauth2', id, ${clientId}, ${OAUTH_SCOPES}
        from users
       where email = ${ownerEmail}
      returning id
    )
    insert into access_tokens (hash, credential_id, scopes, expires_at)
    select ${hash}, id, ${OAUTH_SCOPES}, now() + interval '1 day'
      from granted`
  return token
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

async function post(address: string, body: string): Promise<Response> {
  const response = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`)
  return response
}
