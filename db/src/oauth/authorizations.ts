import type { Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import type { UserActor } from '../sql/actor.ts'
import { changedFields, recordAuditInTeams } from '../sql/audit.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { credentials } from '../tables/credentials.ts'
import { oauth_clients } from '../tables/oauth.ts'

interface NewAuthorization {
  /** The id of the client's row, not its `client_id`. */
  clientId: string
  scopes: readonly Scope[]
  expiresAt: string
  /** The resource that the client named (RFC 8707); null for none. */
  resource: string | null
}

const insert = statement<NewAuthorization & { userId: string }, { id: string }>(
  (p) => sql`
  insert into ${credentials} (kind, user_id, client_id, scopes, expires_at, resource)
  values ('oauth2', ${p.userId}, ${p.clientId}, ${p.scopes}::text[], ${p.expiresAt}::timestamptz, ${p.resource})
  returning id`,
)

const findClient = statement<{ clientId: string }, { name: string }>(
  (p) => sql`
  select name
    from ${oauth_clients}
   where id = ${p.clientId}`,
)

/**
 * Records, in a transaction, that the actor allows a client to act for them. All tokens of the client hang on this
 * credential, whose id is returned. Until there are tokens it expires with the code that leads to them.
 */
export async function allowClient(tx: Tx, actor: UserActor, authorization: NewAuthorization): Promise<string> {
  const { userId } = actor
  const { id } = onlyOne(await insert(tx, { ...authorization, userId }))
  const client = onlyOne(await findClient(tx, authorization))
  const changes = changedFields({}, { client: client.name, scopes: authorization.scopes })
  await recordAuditInTeams(tx, actor, { user_id: userId, action: 'authorization.created', target: 'authorization', target_id: id, changes })
  return id
}
