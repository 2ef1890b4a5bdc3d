import type { NotificationKind } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { memberships } from '../tables/members.ts'
import { notifications } from '../tables/notifications.ts'
import { users } from '../tables/users.ts'

/** The hour of daily mails. */
const MORNING = sql.raw("time '08:00'")
/** After the first news others often follow: one mail tells them all. */
const GATHERED = sql.raw("interval '1 minute'")
/** The least time between two mails about the same. */
const PAUSE = sql.raw("interval '10 minutes'")

/** When an instant mail is due that follows one about what came until `toldUntil`. */
export const instantDueAt = (toldUntil: SQL) => sql`greatest(now() + ${GATHERED}, ${toldUntil} + ${PAUSE})`

/** The next morning in a time zone. */
export const morningIn = (zone: SQL) => sql`
           (date_trunc('day', now() at time zone ${zone}) + ${MORNING}
             + case when (now() at time zone ${zone})::time < ${MORNING} then interval '0' else interval '1 day' end) at time zone ${zone}`

/**
 * Part of a fold: a mail becomes due to each member of the teams with news. `teams` selects the ids of those teams from the
 * changes, which are named `changes`. A member whose mail is to come is left alone; one whose mail is due may just be getting it,
 * so this waits for that.
 */
export function noteNews(kind: NotificationKind, teams: SQL): SQL {
  const name = sql.raw(`'${kind}'`)
  return sql`
    insert into ${notifications} as n (team_id, user_id, kind, told_until, due_at)
    select m.team_id, m.user_id, ${name}, m.joined_at, ${morningIn(sql`u.timezone`)}
      from (${teams}) t
     cross join lateral (
             select *
               from ${memberships} m
              where m.team_id = t.team_id and m.role <> 'viewer'
           ) m
     cross join lateral (
             select timezone
               from ${users} u
              where u.id = m.user_id
              limit 1
           ) u
     where not exists (
             select
               from ${notifications} n
              where n.team_id = m.team_id and n.user_id = m.user_id and n.kind = ${name}
                and (n.due_at > now() or n.frequency = 'off')
           )
        on conflict (team_id, user_id, kind) do update
       set due_at = case when n.frequency = 'instant' then ${instantDueAt(sql`n.told_until`)} else excluded.due_at end
     where n.due_at is null and n.frequency <> 'off'`
}
