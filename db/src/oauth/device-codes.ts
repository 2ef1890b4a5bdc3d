import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Limit } from '../access.ts'
import type { Tx } from '../driver/database.ts'
import { type Actor, actorParameter, actorValues } from '../sql/actor.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { device_codes } from '../tables/oauth.ts'
import type { TokenPair } from './tokens.ts'

export interface NewDeviceCode {
  hash: Buffer
  /** Of the code that the person types, keyed. */
  userCodeMac: Buffer
  clientId: string
  scopes: readonly Scope[]
  lifetimeSeconds: number
}

const { placeholder } = sql

const create = statement<object, { hash: Buffer }>(sql`
  insert into ${device_codes} (hash, user_code_mac, client_id, scopes, expires_at)
  values (${placeholder('hash')}, ${placeholder('userCodeMac')}, ${placeholder('clientId')}, ${placeholder('scopes')}::text[],
          now() + ${placeholder('lifetimeSeconds')}::int * interval '1 second')
  on conflict (user_code_mac) do nothing
  returning hash`)

/** False: another device has this code already, and the caller makes another. */
export async function createDeviceCode(tx: Tx, code: NewDeviceCode): Promise<boolean> {
  return (await create(tx, code)).length === 1
}

/** What a device is told; see db/functions/oauth/poll_device_code.sql. */
export interface DevicePoll {
  outcome: 'unknown' | 'expired' | 'denied' | 'pending' | 'slow_down' | 'granted'
  user_id: string
  scopes: Scope[]
}

const poll = statement<object, DevicePoll>(sql`
  select *
    from poll_device_code(
      ${placeholder('hash')}, ${placeholder('clientId')},
      ${placeholder('accessHash')}, ${placeholder('accessSeconds')}, ${placeholder('refreshHash')}, ${placeholder('refreshSeconds')}
    )`)

/** One round trip of a device that waits; the tokens are kept only when it is granted. */
export async function pollDeviceCode(tx: Tx, device: { hash: Buffer; clientId: string }, tokens: TokenPair): Promise<DevicePoll> {
  return onlyOne(await poll(tx, { ...device, ...tokens }))
}

export interface DeviceQuestion {
  userCodeMac: Buffer
  /** Whose wrong codes are counted, and from where. */
  userSubject: string
  addressSubject: string
  limit: Limit
}

/** What stands behind a person's code: nothing (`hash` null) for a wrong one. */
export interface DeviceRequestRow {
  /** For how long no code is looked at; null if they are. */
  limited_seconds: number | null
  hash: Buffer | null
  client_name: string
  scopes: Scope[]
  decision: 'allowed' | 'denied' | null
}

const find = statement<object, DeviceRequestRow>(sql`
  select *
    from find_device_code(
      ${placeholder('userCodeMac')}, ${placeholder('userSubject')}, ${placeholder('addressSubject')}, ${placeholder('max')}, ${placeholder('windowSeconds')}
    )`)

export async function findDeviceRequest(tx: Tx, { limit, ...question }: DeviceQuestion): Promise<DeviceRequestRow> {
  return onlyOne(await find(tx, { ...question, ...limit }))
}

const decide = statement<object, { is_mine: boolean }>(sql`
  select decide_device_code(${actorParameter}, ${placeholder('hash')}, ${placeholder('decision')}) as is_mine`)

/** The actor allows or denies. False: it was decided before, or has expired. */
export async function decideDeviceCode(tx: Tx, actor: Actor, { hash, decision }: { hash: Buffer; decision: 'allowed' | 'denied' }) {
  return onlyOne(await decide(tx, { ...actorValues(actor), hash, decision })).is_mine
}
