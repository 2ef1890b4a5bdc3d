import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { type Actor, actorParameter, actorValues } from './sql/actor.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'

/** A code as the database knows it: the 30 seconds it belongs to, or the hash of a recovery code. */
export type SecondFactorUse = { step: number; recoveryHash: null } | { step: null; recoveryHash: Buffer }

const { placeholder } = sql

const use = statement<object, { used: boolean }>(sql`
  select use_second_factor(${placeholder('userId')}, ${placeholder('step')}, ${placeholder('recoveryHash')}) as used`)

/** False when the code was used before, or is none. */
export async function useSecondFactor(tx: Tx, userId: string, code: SecondFactorUse): Promise<boolean> {
  return onlyOne(await use(tx, { userId, ...code })).used
}

const enroll = statement<{ userId: string; sealed: Buffer }, { enrolled: boolean }>(sql`
  select enroll_second_factor(${placeholder('userId')}, ${placeholder('sealed')}) as enrolled`)

/** Keeps a secret that is to be confirmed. False when a second factor is in use. */
export async function enrollSecondFactor(tx: Tx, userId: string, sealed: Buffer): Promise<boolean> {
  return onlyOne(await enroll(tx, { userId, sealed })).enrolled
}

const confirm = statement<object, { confirmed: boolean }>(sql`
  select confirm_second_factor(${actorParameter}, ${placeholder('sealed')}, ${placeholder('step')}, ${placeholder('recoveryHashes')}::text[]) as confirmed`)

/** Puts the actor's secret to use, with recovery codes. False when another has taken its place, or it is in use already. */
export async function confirmSecondFactor(
  tx: Tx,
  actor: Actor,
  { recoveryHashes, ...values }: { sealed: Buffer; step: number; recoveryHashes: readonly Buffer[] },
): Promise<boolean> {
  const hashes = recoveryHashes.map((hash) => hash.toString('hex'))
  return onlyOne(await confirm(tx, { ...actorValues(actor), ...values, recoveryHashes: hashes })).confirmed
}

const disable = statement<object, { disabled: boolean }>(sql`
  select disable_second_factor(${actorParameter}, ${placeholder('step')}, ${placeholder('recoveryHash')}) as disabled`)

/** Takes the actor's away, with all its codes. False when the code was used before, or is none. */
export async function disableSecondFactor(tx: Tx, actor: Actor, code: SecondFactorUse): Promise<boolean> {
  return onlyOne(await disable(tx, { ...actorValues(actor), ...code })).disabled
}
