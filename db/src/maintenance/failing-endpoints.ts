import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { memberships } from '../tables/members.ts'
import { teams } from '../tables/teams.ts'
import { users } from '../tables/users.ts'
import { webhook_endpoints } from '../tables/webhooks.ts'

const REASON = 'No delivery succeeded for 5 days.'

const { placeholder } = sql

// Rows are locked in order of id, as the writers of results lock them; PostgreSQL checks the conditions again on the locked row,
// so a success that commits first counts.
const disable = statement<{ reason: string }, { id: string }>(sql`
  with failing as materialized (
    select e.team_id, e.id
      from ${webhook_endpoints} e
      join ${teams} t on t.id = e.team_id and t.deleted_at is null
     where e.state = 'active'
       and e.deleted_at is null
       and e.consecutive_failures >= 10
       and e.last_failed_at - e.first_failed_at >= interval '12 hours'
       and coalesce(e.last_success_at, e.created_at) < now() - interval '5 days'
     order by e.id
       for no key update of e
  ),
  disabled as (
    update ${webhook_endpoints} e
       set state = 'disabled', disabled_reason = ${placeholder('reason')}, updated_at = now()
      from failing f
     where e.team_id = f.team_id and e.id = f.id
    returning e.*
  )
  select d.id,
         record_audit(row(null, null, 'system', null)::actor, d.team_id, d.project_id, 'webhook.disabled', 'webhook', d.id,
           jsonb_build_object('state', jsonb_build_object('from', 'active', 'to', 'disabled'))) as audited,
         (select count(queue_mail(u.email, 'webhook-disabled',
                   jsonb_build_object('name', u.name, 'team', t.name, 'host', substring(d.url from '://([^/?#]+)'), 'endpoint', d.id), null))
            from ${teams} t
            join ${memberships} m on m.team_id = t.id and m.role in ('owner', 'admin')
            join ${users} u on u.id = m.user_id and u.disabled_at is null
           where t.id = d.team_id) as mailed
    from disabled d`)

/**
 * Disables each endpoint that had no success for 5 days, and at least 10 failed deliveries spread over at least 12 hours
 * since its last one; its team's owners and admins are told by mail. Returns their ids.
 */
export async function disableFailingEndpoints(tx: Tx): Promise<string[]> {
  return (await disable(tx, { reason: REASON })).map(({ id }) => id)
}
