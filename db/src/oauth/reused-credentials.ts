import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'

const end = statement<{ credentialId: string; what: string }, never>(
  (p) => sql`
  select end_reused_credential(${p.credentialId}::uuid, ${p.what}::text)`,
)

/** Ends a credential of which a code or token was used twice; rotate_refresh_token shares the SQL function. */
export async function endReusedCredential(tx: Tx, credentialId: string, what: string): Promise<void> {
  await end(tx, { credentialId, what })
}
