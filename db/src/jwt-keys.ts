import { sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import { columnsOf } from './sql/columns.ts'
import { statement } from './sql/statement.ts'
import { jwt_keys } from './tables/jwt-keys.ts'

type JwtKeyRow = typeof jwt_keys.$inferSelect

export interface NewJwtKey {
  id: string
  /** JSON Web Key, as JSON. */
  publicKey: string
  sealedPrivate: Buffer
}

const list = statement<Record<never, never>, JwtKeyRow>(sql`
  select ${columnsOf(jwt_keys)}
    from ${jwt_keys}
   where retires_at is null or retires_at > now()`)

/** Returns the key that signs (`retires_at` null), if there is one, and those that still verify. */
export async function listJwtKeys(tx: Tx): Promise<JwtKeyRow[]> {
  return list(tx, {})
}

// The index of the key that signs is the lock: a replica that comes second waits for the first and adds nothing.
const insertFirst = statement<NewJwtKey, never>(
  (p) => sql`
  insert into ${jwt_keys} (id, public_key, sealed_private)
  values (${p.id}, ${p.publicKey}::jsonb, ${p.sealedPrivate})
  on conflict do nothing`,
)

/** Adds a key that signs, unless there is one already. */
export async function addFirstJwtKey(tx: Tx, key: NewJwtKey): Promise<void> {
  await insertFirst(tx, key)
}

const lock = statement<Record<never, never>, never>(sql`
  lock table ${jwt_keys} in share row exclusive mode`)

// By the clock: now() may lie before the wait for the lock.
const retire = statement<{ overlapSeconds: number }, { id: string; retires_at: string }>(
  (p) => sql`
  update ${jwt_keys}
     set retires_at = clock_timestamp() + ${p.overlapSeconds}::int * interval '1 second'
   where retires_at is null
  returning id, retires_at`,
)

const insert = statement<NewJwtKey, never>(
  (p) => sql`
  insert into ${jwt_keys} (id, public_key, sealed_private)
  values (${p.id}, ${p.publicKey}::jsonb, ${p.sealedPrivate})`,
)

/** The key that a rotation retired; null when there was none. */
interface RetiredJwtKey {
  retired_id: string | null
  retires_at: string | null
}

/** Adds a key that signs from now on; the key before it verifies for the overlap. */
export async function rotateJwtKey(tx: Tx, key: NewJwtKey, overlapSeconds: number): Promise<RetiredJwtKey> {
  return transaction(tx, async (tx) => {
    // Rotations take turns, so that the second retires the key of the first. Readers wait for neither.
    await lock(tx, {})
    const [retired] = await retire(tx, { overlapSeconds })
    await insert(tx, key)
    return { retired_id: retired?.id ?? null, retires_at: retired?.retires_at ?? null }
  })
}
