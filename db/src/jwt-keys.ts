import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { jwt_keys } from './tables/jwt-keys.ts'

type JwtKeyRow = typeof jwt_keys.$inferSelect

export interface NewJwtKey {
  id: string
  /** JSON Web Key, as JSON. */
  publicKey: string
  sealedPrivate: Buffer
}

const { placeholder } = sql

const list = statement<object, JwtKeyRow>(sql`
  select *
    from ${jwt_keys}
   where retires_at is null or retires_at > now()`)

/** The key that signs (`retires_at` null), if there is one, and those that verify still. */
export async function listJwtKeys(tx: Tx): Promise<JwtKeyRow[]> {
  return list(tx, {})
}

// The index of the one that signs is the lock: a replica that comes second waits for the first, and adds nothing.
const addFirst = statement<NewJwtKey, never>(sql`
  insert into ${jwt_keys} (id, public_key, sealed_private)
  values (${placeholder('id')}, ${placeholder('publicKey')}::jsonb, ${placeholder('sealedPrivate')})
  on conflict do nothing`)

/** Unless there is one that signs already. */
export async function addFirstJwtKey(tx: Tx, key: NewJwtKey): Promise<void> {
  await addFirst(tx, key)
}

interface RetiredJwtKey {
  /** Null when there was none before. */
  retired_id: string | null
  retires_at: string | null
}

const rotate = statement<NewJwtKey & { overlapSeconds: number }, RetiredJwtKey>(sql`
  select *
    from rotate_jwt_key(${placeholder('id')}, ${placeholder('publicKey')}::jsonb, ${placeholder('sealedPrivate')}, ${placeholder('overlapSeconds')})`)

/** The key signs from now on; the one before it verifies for so long. */
export async function rotateJwtKey(tx: Tx, key: NewJwtKey, overlapSeconds: number): Promise<RetiredJwtKey> {
  return onlyOne(await rotate(tx, { ...key, overlapSeconds }))
}
