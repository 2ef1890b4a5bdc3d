import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { countRequest, type Limit } from '../access.ts'
import { type Tx, transaction } from '../driver/database.ts'
import type { UserActor } from '../sql/actor.ts'
import { columnsOf } from '../sql/columns.ts'
import { statement } from '../sql/statement.ts'
import { device_codes, oauth_clients } from '../tables/oauth.ts'
import { rate_windows } from '../tables/rate-limits.ts'
import { allowClient } from './authorizations.ts'
import type { DeviceCodeRow } from './device-codes.ts'

/** A user code that a person typed. */
interface DeviceQuestion {
  userCodeMac: Buffer
  /** The rate limits that wrong codes count against: the person's, and the address's. */
  userSubject: string
  addressSubject: string
  limit: Limit
}

/** The request of a device that a user code stands for. */
interface DeviceRequestRow {
  hash: Buffer
  client_name: string
  scopes: Scope[]
  decision: 'allowed' | 'denied' | null
}

/** `limited`: no code is looked up for so many seconds. */
type DeviceLookup = { outcome: 'limited'; seconds: number } | { outcome: 'unknown' } | { outcome: 'found'; request: DeviceRequestRow }

const find = statement<{ userCodeMac: Buffer }, DeviceRequestRow>(
  (p) => sql`
  select d.hash, o.name as client_name, d.scopes, d.decision
    from ${device_codes} d
    join ${oauth_clients} o on o.id = d.client_id
   where d.user_code_mac = ${p.userCodeMac} and d.expires_at > now()`,
)

const giveBack = statement<{ userSubject: string; addressSubject: string }, never>(
  (p) => sql`
  update ${rate_windows}
     set used = used - 1
   where subject in (${p.userSubject}, ${p.addressSubject})`,
)

/**
 * Finds the request that a user code stands for. Both counts are taken first and given back for a right code, so that of
 * any number of guesses at once no more than the limit are looked up.
 */
export async function findDeviceRequest(
  tx: Tx,
  { userCodeMac, userSubject, addressSubject, limit }: DeviceQuestion,
): Promise<DeviceLookup> {
  return transaction(tx, async (tx): Promise<DeviceLookup> => {
    const ofUser = await countRequest(tx, { subject: userSubject, limit })
    const ofAddress = await countRequest(tx, { subject: addressSubject, limit })
    if (ofUser.used === null || ofAddress.used === null) return { outcome: 'limited', seconds: Math.max(1, ofUser.reset_seconds) }
    const [request] = await find(tx, { userCodeMac })
    if (!request) return { outcome: 'unknown' }
    await giveBack(tx, { userSubject, addressSubject })
    return { outcome: 'found', request }
  })
}

const lockUndecided = statement<{ hash: Buffer }, DeviceCodeRow>(
  (p) => sql`
  select ${columnsOf(device_codes)}
    from ${device_codes}
   where hash = ${p.hash} and decision is null and expires_at > now()
     for update`,
)

const setDecision = statement<{ hash: Buffer; decision: 'allowed' | 'denied'; credentialId: string | null }, never>(
  (p) => sql`
  update ${device_codes}
     set decision = ${p.decision}, credential_id = ${p.credentialId}::uuid
   where hash = ${p.hash}`,
)

/**
 * Records that the actor allows or denies what a device asked for. Returns false when it was decided before (in another tab,
 * by somebody else) or has expired.
 */
export async function decideDeviceCode(
  tx: Tx,
  actor: UserActor,
  { hash, decision }: { hash: Buffer; decision: 'allowed' | 'denied' },
): Promise<boolean> {
  return transaction(tx, async (tx) => {
    // The condition on the locked row makes it one decision under any number of tabs.
    const [device] = await lockUndecided(tx, { hash })
    if (!device) return false
    const { client_id: clientId, scopes, expires_at: expiresAt, resource } = device
    const credentialId = decision === 'allowed' ? await allowClient(tx, actor, { clientId, scopes, expiresAt, resource }) : null
    await setDecision(tx, { hash, decision, credentialId })
    return true
  })
}
