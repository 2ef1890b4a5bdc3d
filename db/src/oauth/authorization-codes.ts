import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Actor, actorParameter, actorValues } from '../sql/actor.ts'
import { statement } from '../sql/statement.ts'
import { authorization_codes } from '../tables/oauth.ts'

export interface NewAuthorizationCode {
  hash: Buffer
  /** The client's row, not the name that it goes by. */
  clientId: string
  scopes: readonly Scope[]
  redirectUri: string
  codeChallenge: string
  lifetimeSeconds: number
}

/** What a code is for. */
export interface AuthorizationCodeRow {
  credential_id: string
  user_id: string
  scopes: Scope[]
  redirect_uri: string
  code_challenge: string
}

const { placeholder } = sql

// The database's clock begins and ends its life: sixty seconds leave no room for another's.
const create = statement<object, never>(sql`
  with allowed as (
    select now() + ${placeholder('lifetimeSeconds')}::int * interval '1 second' as expires_at
  )
  insert into ${authorization_codes} (hash, credential_id, redirect_uri, code_challenge, expires_at)
  select ${placeholder('hash')}, allow_client(${actorParameter}, ${placeholder('clientId')}, ${placeholder('scopes')}::text[], expires_at),
         ${placeholder('redirectUri')}, ${placeholder('codeChallenge')}, expires_at
    from allowed`)

/** The actor allows a client to act for them; the code is what the client gets tokens with. */
export async function createAuthorizationCode(tx: Tx, actor: Actor, code: NewAuthorizationCode): Promise<void> {
  await create(tx, { ...code, ...actorValues(actor) })
}

const take = statement<{ hash: Buffer; clientId: string }, AuthorizationCodeRow>(sql`
  select *
    from take_authorization_code(${placeholder('hash')}, ${placeholder('clientId')})`)

/** Uses a code up. Null: it is unknown, expired, another client's, or was used before, which ends all that it gave. */
export async function takeAuthorizationCode(tx: Tx, code: { hash: Buffer; clientId: string }): Promise<AuthorizationCodeRow | null> {
  return (await take(tx, code))[0] ?? null
}
