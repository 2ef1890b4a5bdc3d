import { type NotificationFrequency, type NotificationKind, notificationKinds } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { notFound } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { memberships } from '../tables/members.ts'
import { notifications } from '../tables/notifications.ts'
import { teams } from '../tables/teams.ts'
import { users } from '../tables/users.ts'
import { instantDueAt, morningIn } from './news.ts'

/** When a member gets mails of a team. */
export type TeamNotifications = Record<NotificationKind, NotificationFrequency> & { team_id: string }

/** What a member chose, by kind; an absent kind stays as it is. */
type Choice = { [Kind in NotificationKind]?: NotificationFrequency | undefined }

const list = statement<{ user_id: string }, { team_id: string; chosen: Partial<Record<NotificationKind, NotificationFrequency>> }>(
  (p) => sql`
  select m.team_id, coalesce(
           (
             select jsonb_object_agg(n.kind, n.frequency)
               from ${notifications} n
              where n.team_id = m.team_id and n.user_id = m.user_id
           ),
           '{}'
         ) as chosen
    from ${memberships} m
    join ${teams} t on t.id = m.team_id and t.deleted_at is null
   where m.user_id = ${p.user_id}
   order by m.team_id desc`,
)

/** Returns when a user gets mails of each of the teams, the newest team first. */
export async function listNotifications(tx: Tx, user_id: string): Promise<TeamNotifications[]> {
  const rows = await list(tx, { user_id })
  return rows.map(({ team_id, chosen }) => ({ team_id, pending: 'daily', low_nps: 'daily', ...chosen }))
}

interface MemberChoice {
  team_id: string
  user_id: string
  kinds: NotificationKind[]
  frequencies: NotificationFrequency[]
}

/** What is due stays due, at the moment of the new frequency. */
const choose = statement<MemberChoice, { team_id: string }>(
  (p) => sql`
  insert into ${notifications} as n (team_id, user_id, kind, frequency, told_until)
  select m.team_id, m.user_id, c.kind, c.frequency, m.joined_at
    from ${memberships} m
    join ${teams} t on t.id = m.team_id and t.deleted_at is null
   cross join unnest(${p.kinds}::text[], ${p.frequencies}::text[]) c (kind, frequency)
   where m.team_id = ${p.team_id} and m.user_id = ${p.user_id}
      on conflict (team_id, user_id, kind) do update
     set frequency = excluded.frequency,
         due_at = case
           when n.due_at is null or excluded.frequency = 'off' then null
           when excluded.frequency = 'instant' then least(n.due_at, ${instantDueAt(sql`n.told_until`)})
           else (select ${morningIn(sql`u.timezone`)} from ${users} u where u.id = n.user_id)
         end
  returning team_id`,
)

const isMember = statement<{ team_id: string; user_id: string }, { team_id: string }>(
  (p) => sql`
  select m.team_id
    from ${memberships} m
    join ${teams} t on t.id = m.team_id and t.deleted_at is null
   where m.team_id = ${p.team_id} and m.user_id = ${p.user_id}`,
)

/** Sets when a member gets mails of a team. Throws `not_found` for a team that the user does not belong to. */
export async function chooseNotifications(tx: Tx, user_id: string, team_id: string, choice: Choice): Promise<void> {
  const kinds = notificationKinds.filter((kind) => choice[kind] !== undefined)
  const frequencies = kinds.flatMap((kind) => choice[kind] ?? [])
  const rows = kinds.length > 0 ? await choose(tx, { team_id, user_id, kinds, frequencies }) : await isMember(tx, { team_id, user_id })
  if (rows.length === 0) notFound()
}
