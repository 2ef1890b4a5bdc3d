import type { CredentialKind } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { type Actor, actorParameter, actorValues } from './sql/actor.ts'
import { notFound } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'

const { placeholder } = sql

/** Ends one of the actor's own credentials, with all that it handed out, on the next request; throws `not_found` for any other. */
export type EndOwn = (tx: Tx, actor: Actor, id: string) => Promise<void>

/** For the kinds that people know by one name; each of the actor's teams has a line of it in its log. */
export function endingOwn(kinds: readonly CredentialKind[], target: string): EndOwn {
  const end = statement<object, { id: string }>(sql`
    with gone as (
      update ${credentials}
         set revoked_at = now(), updated_at = now()
       where id = ${placeholder('id')} and user_id = ${placeholder('actorUserId')}::uuid
         and kind in (${sql.raw(kinds.map((kind) => `'${kind}'`).join(', '))}) and revoked_at is null
      returning id
    )
    select id, record_audit_in_teams(${actorParameter}, ${placeholder('actorUserId')}::uuid, ${sql.raw(`'${target}.deleted', '${target}'`)}, id) as audited
      from gone`)
  return async (tx, actor, id) => {
    if ((await end(tx, { ...actorValues(actor), id })).length === 0) notFound()
  }
}
