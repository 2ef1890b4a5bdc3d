import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { columnsOf } from '../sql/columns.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { credentials } from '../tables/credentials.ts'
import { device_codes } from '../tables/oauth.ts'
import { users } from '../tables/users.ts'
import { issueTokens, type TokenPair } from './tokens.ts'

export type DeviceCodeRow = Omit<typeof device_codes.$inferSelect, 'scopes'> & { scopes: Scope[] }

export interface NewDeviceCode {
  hash: Buffer
  /** A keyed hash of the code that the person types. */
  userCodeMac: Buffer
  clientId: string
  scopes: readonly Scope[]
  resource: string | null
  lifetimeSeconds: number
}

const insert = statement<NewDeviceCode, { hash: Buffer }>(
  (p) => sql`
  insert into ${device_codes} (hash, user_code_mac, client_id, scopes, resource, expires_at)
  values (${p.hash}, ${p.userCodeMac}, ${p.clientId}, ${p.scopes}::text[], ${p.resource}, now() + ${p.lifetimeSeconds}::int * interval '1 second')
  on conflict (user_code_mac) do nothing
  returning hash`,
)

/** Creates a device code. Returns false when another device has the same user code: the caller makes another. */
export async function createDeviceCode(tx: Tx, code: NewDeviceCode): Promise<boolean> {
  return (await insert(tx, code)).length === 1
}

/**
 * The result of a poll. `unknown`: the code is not this client's, or was exchanged before. `slow_down`: the device polled too
 * early. `granted`: once, with the tokens.
 */
export type DevicePoll =
  | { outcome: 'unknown' | 'expired' | 'denied' | 'pending' | 'slow_down' }
  | { outcome: 'granted'; user_id: string; scopes: Scope[] }

interface DeviceRef {
  hash: Buffer
  clientId: string
}

const lock = statement<DeviceRef, DeviceCodeRow & { is_expired: boolean }>(
  (p) => sql`
  select ${columnsOf(device_codes, 'd')}, d.expires_at <= now() as is_expired
    from ${device_codes} d
   where d.hash = ${p.hash} and d.client_id = ${p.clientId}
     for update`,
)

// The network makes a steady rhythm a little uneven, so up to a second early is in time. The interval of a device that
// polls too early grows by five seconds for good (RFC 8628 §3.5).
const recordPoll = statement<{ hash: Buffer }, { is_early: boolean }>(
  (p) => sql`
  update ${device_codes} d
     set polled_at = clock_timestamp(),
         interval_seconds = d.interval_seconds
           + case when d.polled_at > clock_timestamp() - (d.interval_seconds - 1) * interval '1 second' then 5 else 0 end
   where d.hash = ${p.hash}
  returning new.interval_seconds > old.interval_seconds as is_early`,
)

const findAuthorization = statement<{ credentialId: string | null }, { id: string; user_id: string; scopes: Scope[] }>(
  (p) => sql`
  select c.id, c.user_id, c.scopes
    from ${credentials} c
    join ${users} u on u.id = c.user_id and u.disabled_at is null
   where c.id = ${p.credentialId} and c.revoked_at is null`,
)

const markTaken = statement<{ hash: Buffer }, never>(
  (p) => sql`
  update ${device_codes}
     set taken_at = now()
   where hash = ${p.hash}`,
)

/** Answers a device that asks whether the person has decided; the tokens are kept only when access is granted. */
export async function pollDeviceCode(tx: Tx, { hash, clientId }: DeviceRef, tokens: TokenPair): Promise<DevicePoll> {
  return transaction(tx, async (tx): Promise<DevicePoll> => {
    // Locked, so that of any number of polls at once exactly one gets the tokens.
    const [device] = await lock(tx, { hash, clientId })
    if (!device || device.taken_at !== null) return { outcome: 'unknown' }
    if (device.is_expired) return { outcome: 'expired' }
    if (device.decision === null) {
      const { is_early } = onlyOne(await recordPoll(tx, { hash }))
      return { outcome: is_early ? 'slow_down' : 'pending' }
    }
    // What was allowed may have been withdrawn since.
    const [authorization] = await findAuthorization(tx, { credentialId: device.credential_id })
    if (!authorization) return { outcome: 'denied' }
    const { id, user_id, scopes } = authorization
    await markTaken(tx, { hash })
    await issueTokens(tx, { credentialId: id, scopes }, tokens)
    return { outcome: 'granted', user_id, scopes }
  })
}
