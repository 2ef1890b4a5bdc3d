import { durations, type EventType, type Role, roleSuffices, roles } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { queueMails } from '../mails.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudits } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import { statement } from '../sql/statement.ts'
import { memberships } from '../tables/members.ts'
import { teams } from '../tables/teams.ts'
import { users } from '../tables/users.ts'
import { webhook_endpoints } from '../tables/webhooks.ts'
import { target, type WebhookEndpointRow } from '../webhooks/endpoints.ts'
import { eventEndpoint } from '../webhooks/event-endpoint.ts'

const MIN_FAILURES = 10
const DISABLED = 'webhook.endpoint.disabled' satisfies EventType
const REASON = `No delivery succeeded for ${durations.failingEndpointDays} days.`
const SYSTEM: Actor = { userId: null, credentialId: null, credentialKind: 'system', ip: null }
/** The roles that manage webhooks; their members get the mail. */
const NOTIFIED_ROLES = roles.filter((role) => roleSuffices(role, 'admin'))

// Rows are locked in order of id, as the writers of results lock them; PostgreSQL checks the conditions again on the locked
// row, so a success that commits first counts.
const disable = statement<{ reason: string; failures: number; hours: number; days: number }, WebhookEndpointRow>(
  (p) => sql`
  with failing as materialized (
    select e.team_id, e.id
      from ${webhook_endpoints} e
      join ${teams} t on t.id = e.team_id and t.deleted_at is null
     where e.state = 'active'
       and e.deleted_at is null
       and e.consecutive_failures >= ${p.failures}
       and e.last_failed_at - e.first_failed_at >= ${p.hours}::int * interval '1 hour'
       and coalesce(e.last_success_at, e.created_at) < now() - ${p.days}::int * interval '1 day'
     order by e.id
       for no key update of e
  )
  update ${webhook_endpoints} e
     set state = 'disabled', disabled_reason = ${p.reason}, updated_at = now()
    from failing f
   where e.team_id = f.team_id and e.id = f.id
  returning ${columnsOf(webhook_endpoints, 'e')}`,
)

// The changed rows, in one call for all.
const emitDisabled = statement<{ team_ids: string[]; ids: string[] }, never>(
  (p) => sql`
  select
    from (
           select array_agg(e.team_id) as teams, array_agg(e.project_id) as projects,
                  array_agg(json_build_object('endpoint', ${eventEndpoint(sql`e`)})) as data
             from unnest(${p.team_ids}::uuid[], ${p.ids}::uuid[]) d (team_id, id)
             join ${webhook_endpoints} e on e.team_id = d.team_id and e.id = d.id
         ) d
   cross join lateral emit_events(${sql.raw(`'${DISABLED}'`)}, d.teams, d.projects, d.data)`,
)

interface Recipient {
  team_id: string
  team: string
  name: string
  email: string
}

const findRecipients = statement<{ team_ids: string[]; roles: Role[] }, Recipient>(
  (p) => sql`
  select t.id as team_id, t.name as team, u.name, u.email
    from ${teams} t
    join ${memberships} m on m.team_id = t.id and m.role = any (${p.roles}::text[])
    join ${users} u on u.id = m.user_id and u.disabled_at is null
   where t.id = any (${p.team_ids}::uuid[])`,
)

/**
 * Disables each endpoint without a success for 5 days and with at least 10 failed deliveries, spread over at least 12 hours,
 * since its last one. Its team's owners and admins get a mail, and other endpoints an event. Returns the endpoints' ids.
 */
export async function disableFailingEndpoints(tx: Tx): Promise<string[]> {
  const { failingEndpointHours: hours, failingEndpointDays: days } = durations
  return transaction(tx, async (tx) => {
    const disabled = await disable(tx, { reason: REASON, failures: MIN_FAILURES, hours, days })
    if (disabled.length === 0) return []
    const changes = { state: { from: 'active', to: 'disabled' } }
    const entries = disabled.map((endpoint) => ({ ...target(endpoint), action: 'webhook.disabled', changes }) as const)
    await recordAudits(tx, SYSTEM, entries)
    const team_ids = disabled.map(({ team_id }) => team_id)
    const ids = disabled.map(({ id }) => id)
    await emitDisabled(tx, { team_ids, ids })
    const recipients = await findRecipients(tx, { team_ids, roles: NOTIFIED_ROLES })
    await queueMails(
      tx,
      disabled.flatMap((endpoint) => recipients.filter(({ team_id }) => team_id === endpoint.team_id).map((to) => mailOf(endpoint, to))),
    )
    return ids
  })
}

function mailOf({ id, url }: WebhookEndpointRow, { name, email, team }: Recipient) {
  // The host alone: the rest of an address may hold a secret.
  return { recipient: email, template: 'webhook-disabled', fields: { name, team, host: new URL(url).host, endpoint: id } } as const
}
