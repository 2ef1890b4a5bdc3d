import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { type ActorValues, actorRow, actorValues, type UserActor } from './sql/actor.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'

const lock = statement<{ userId: string }, { id: string }>(
  (p) => sql`
  select id
    from ${credentials}
   where user_id = ${p.userId} and kind in ('pat', 'oauth2') and revoked_at is null
   order by id
     for update`,
)

const end = statement<{ userId: string }, { id: string; noun: string }>(
  (p) => sql`
  update ${credentials}
     set revoked_at = now(), updated_at = now()
   where user_id = ${p.userId} and kind in ('pat', 'oauth2') and revoked_at is null
  returning id, case kind when 'pat' then 'token' else 'authorization' end as noun`,
)

const recordEnds = statement<ActorValues & { userId: string; ids: readonly string[]; nouns: readonly string[] }, never>(
  (p) => sql`
  select record_audit_in_teams(${actorRow(p)}, ${p.userId}::uuid, noun || '.deleted', noun, id)
    from unnest(${p.ids}::uuid[], ${p.nouns}::text[]) ended (id, noun)`,
)

/** Ends what the actor gave to programs, in a transaction: personal access tokens, and authorizations of OAuth clients. */
export async function endGrants(tx: Tx, actor: UserActor): Promise<void> {
  const { userId } = actor
  // The locks wait for tokens that are being created from these at this moment, and the next statement sees them.
  await lock(tx, { userId })
  const ended = await end(tx, { userId })
  const [ids, nouns] = [ended.map(({ id }) => id), ended.map(({ noun }) => noun)]
  await recordEnds(tx, { ...actorValues(actor), userId, ids, nouns })
}
