import { sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import { endLogins } from './logins.ts'
import { queueMail } from './mails.ts'
import type { UserActor } from './sql/actor.ts'
import { recordAuditInTeams } from './sql/audit.ts'
import { columnsOf } from './sql/columns.ts'
import { statement } from './sql/statement.ts'
import { recovery_codes, second_factors } from './tables/mfa.ts'
import { users } from './tables/users.ts'
import type { UserRow } from './users.ts'

/** A code as the database knows it: the 30 seconds that it belongs to, or the hash of a recovery code. */
export type SecondFactorUse = { step: number; recoveryHash: null } | { step: null; recoveryHash: Buffer }

const takeStep = statement<{ userId: string; step: number }, { user_id: string }>(
  (p) => sql`
  update ${second_factors}
     set last_step = ${p.step}
   where user_id = ${p.userId} and last_step < ${p.step}
  returning user_id`,
)

const takeRecoveryCode = statement<{ userId: string; recoveryHash: Buffer }, { user_id: string }>(
  (p) => sql`
  update ${recovery_codes}
     set used_at = now()
   where user_id = ${p.userId} and hash = ${p.recoveryHash} and used_at is null
  returning user_id`,
)

/**
 * Uses a code up, so that of any number of callers with the same code exactly one gets in. A code of an authenticator app
 * uses up its 30 seconds and all before them (RFC 6238 §5.2). Returns false when the code was used before or is unknown.
 */
export async function useSecondFactor(tx: Tx, userId: string, { step, recoveryHash }: SecondFactorUse): Promise<boolean> {
  const used = step !== null ? await takeStep(tx, { userId, step }) : await takeRecoveryCode(tx, { userId, recoveryHash })
  return used.length === 1
}

const lockWithout = statement<{ userId: string }, UserRow>(
  (p) => sql`
  select ${columnsOf(users)}
    from ${users}
   where id = ${p.userId} and mfa_enabled_at is null
     for no key update`,
)

const lockWith = statement<{ userId: string }, UserRow>(
  (p) => sql`
  select ${columnsOf(users)}
    from ${users}
   where id = ${p.userId} and mfa_enabled_at is not null
     for no key update`,
)

const keepSecret = statement<{ userId: string; sealed: Buffer }, never>(
  (p) => sql`
  insert into ${second_factors} (user_id, sealed)
  values (${p.userId}, ${p.sealed})
  on conflict (user_id) do update set
    sealed = excluded.sealed,
    last_step = 0`,
)

/**
 * Keeps the secret of an authenticator app until it is confirmed, in place of one that waits already. Returns false when a
 * second factor is enabled.
 */
export async function enrollSecondFactor(tx: Tx, userId: string, sealed: Buffer): Promise<boolean> {
  return transaction(tx, async (tx) => {
    // Locked against a confirmation at the same moment, which would enable a secret that nobody was shown.
    const [user] = await lockWithout(tx, { userId })
    if (!user) return false
    await keepSecret(tx, { userId, sealed })
    return true
  })
}

const confirmSecret = statement<{ userId: string; sealed: Buffer; step: number }, { user_id: string }>(
  (p) => sql`
  update ${second_factors}
     set last_step = ${p.step}
   where user_id = ${p.userId} and sealed = ${p.sealed}
  returning user_id`,
)

const setEnabled = statement<{ userId: string; isEnabled: boolean }, never>(
  (p) => sql`
  update ${users}
     set mfa_enabled_at = case when ${p.isEnabled}::boolean then now() end, updated_at = now()
   where id = ${p.userId}`,
)

// Hashes come in hexadecimal digits: the driver knows no array of bytes.
const addRecoveryCodes = statement<{ userId: string; hashes: readonly string[] }, never>(
  (p) => sql`
  insert into ${recovery_codes} (user_id, hash)
  select ${p.userId}::uuid, decode(hash, 'hex')
    from unnest(${p.hashes}::text[]) hash`,
)

interface ConfirmedFactor {
  /** The secret that the code was checked against: another may have replaced it since. */
  sealed: Buffer
  step: number
  recoveryHashes: readonly Buffer[]
}

/**
 * Enables the actor's second factor with new recovery codes. Returns false when another secret has replaced this one, or a
 * second factor is enabled already.
 */
export async function confirmSecondFactor(tx: Tx, actor: UserActor, { sealed, step, recoveryHashes }: ConfirmedFactor): Promise<boolean> {
  const { userId } = actor
  return transaction(tx, async (tx) => {
    // Of several confirmations at once the others find it enabled.
    const [user] = await lockWithout(tx, { userId })
    if (!user || (await confirmSecret(tx, { userId, sealed, step })).length === 0) return false
    await setEnabled(tx, { userId, isEnabled: true })
    // From now on the password alone is not enough, so what it alone began ends.
    await endLogins(tx, userId)
    await addRecoveryCodes(tx, { userId, hashes: recoveryHashes.map((hash) => hash.toString('hex')) })
    await recordAuditInTeams(tx, actor, { user_id: userId, action: 'mfa.enabled', target: 'user', target_id: userId })
    await queueMail(tx, { recipient: user.email, template: 'mfa-enabled', fields: { name: user.name }, sealed: null })
    return true
  })
}

const deleteSecret = statement<{ userId: string }, never>(
  (p) => sql`
  delete from ${second_factors}
   where user_id = ${p.userId}`,
)

const deleteRecoveryCodes = statement<{ userId: string }, never>(
  (p) => sql`
  delete from ${recovery_codes}
   where user_id = ${p.userId}`,
)

/** Disables the actor's second factor by one of its own codes. Returns false when the code was used before or is unknown. */
export async function disableSecondFactor(tx: Tx, actor: UserActor, code: SecondFactorUse): Promise<boolean> {
  const { userId } = actor
  return transaction(tx, async (tx) => {
    const [user] = await lockWith(tx, { userId })
    if (!user || !(await useSecondFactor(tx, userId, code))) return false
    await deleteSecret(tx, { userId })
    await deleteRecoveryCodes(tx, { userId })
    await setEnabled(tx, { userId, isEnabled: false })
    await recordAuditInTeams(tx, actor, { user_id: userId, action: 'mfa.disabled', target: 'user', target_id: userId })
    await queueMail(tx, { recipient: user.email, template: 'mfa-disabled', fields: { name: user.name }, sealed: null })
    return true
  })
}
