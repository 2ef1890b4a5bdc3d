import type { CredentialKind } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import type { UserActor } from './sql/actor.ts'
import { recordAuditInTeams } from './sql/audit.ts'
import { notFound } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'

const end = statement<{ id: string; userId: string; kinds: readonly CredentialKind[] }, { id: string }>(
  (p) => sql`
  update ${credentials}
     set revoked_at = now(), updated_at = now()
   where id = ${p.id} and user_id = ${p.userId} and kind = any (${p.kinds}::text[]) and revoked_at is null
  returning id`,
)

/** Ends one of the actor's own credentials and all that it issued, from the next request on. Throws `not_found` for any other. */
export async function endOwnCredential(
  tx: Tx,
  actor: UserActor,
  { id, kinds, target }: { id: string; kinds: readonly CredentialKind[]; target: string },
): Promise<void> {
  const { userId } = actor
  await transaction(tx, async (tx) => {
    const [ended] = await end(tx, { id, userId, kinds })
    if (!ended) return notFound()
    await recordAuditInTeams(tx, actor, { user_id: userId, action: `${target}.deleted`, target, target_id: id })
  })
}
