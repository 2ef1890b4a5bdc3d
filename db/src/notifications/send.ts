import type { NotificationKind } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { type NewMail, queueMails } from '../mails.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { memberships } from '../tables/members.ts'
import { notifications } from '../tables/notifications.ts'
import { projects } from '../tables/projects.ts'
import { submissions } from '../tables/submissions.ts'
import { survey_responses, surveys } from '../tables/surveys.ts'
import { teams } from '../tables/teams.ts'
import { users } from '../tables/users.ts'

/** Mails of one transaction. */
const BATCH = 100
/** The most records of a project or survey that are counted for one mail. */
const COUNTED = 1_000
/** Projects or surveys that a mail names. */
const NAMED = 5

interface DueNotification {
  team_id: string
  user_id: string
  kind: NotificationKind
  told_until: string
  team: string
  threshold: number
  name: string
  email: string
  is_wanted: boolean
}

/** Whoever is skipped is being told by another worker. */
const takeDue = statement<{ max: number }, DueNotification>(
  (p) => sql`
  select n.team_id, n.user_id, n.kind, n.told_until, t.name as team, t.nps_low_score_threshold as threshold, u.name, u.email,
         t.deleted_at is null and u.disabled_at is null and m.role <> 'viewer' and n.frequency <> 'off' as is_wanted
    from (
           select *
             from ${notifications}
            where due_at <= now()
            order by due_at
            limit ${p.max}
              for update skip locked
         ) n
    join ${memberships} m on m.team_id = n.team_id and m.user_id = n.user_id
    join ${teams} t on t.id = n.team_id
    join ${users} u on u.id = n.user_id`,
)

const settle = statement<{ teams: string[]; users: string[]; kinds: string[] }, never>(
  (p) => sql`
  update ${notifications} n
     set told_until = now(), due_at = null
    from unnest(${p.teams}::uuid[], ${p.users}::uuid[], ${p.kinds}::text[]) d (team_id, user_id, kind)
   where n.team_id = d.team_id and n.user_id = d.user_id and n.kind = d.kind`,
)

interface Since {
  teams: string[]
  since: string[]
}

/** What is new in one place, for the notification with this index. */
interface News {
  index: number
  place: string
  count: number
}

/** Since the last mail, up to now: what comes later is in the next one. */
const isNew = (id: SQL) => sql`${id} >= uuid_at(d.since::timestamptz) and ${id} < uuid_at(now())`

const count = (p: Parameters<Since>, places: SQL, records: SQL) => sql`
  select d.number::int - 1 as index, place.name as place, c.count
    from unnest(${p.teams}::uuid[], ${p.since}::text[]) with ordinality d (team_id, since, number)
   cross join lateral (${places}
         ) place
   cross join lateral (
           select count(*)::int as count
             from (${records}
                     limit ${sql.raw(String(COUNTED))}
                  ) r
         ) c
   where c.count > 0
   order by d.number, c.count desc, place.name`

const countNews: Record<NotificationKind, (tx: Tx, values: Since) => Promise<News[]>> = {
  pending: statement<Since, News>((p) =>
    count(
      p,
      sql`
           select j.id, j.name
             from ${projects} j
            where j.team_id = d.team_id and j.deleted_at is null`,
      sql`
                    select
                      from ${submissions} s
                     where s.team_id = d.team_id and s.project_id = place.id and s.state = 'pending' and s.deleted_at is null
                       and ${isNew(sql`s.id`)}`,
    ),
  ),
  low_nps: statement<Since, News>((p) =>
    count(
      p,
      sql`
           select v.project_id, v.id, v.name, t.nps_low_score_threshold as threshold
             from ${surveys} v
             join ${teams} t on t.id = v.team_id
            where v.team_id = d.team_id and v.deleted_at is null`,
      sql`
                    select
                      from ${survey_responses} s
                     where s.team_id = d.team_id and s.project_id = place.project_id and s.survey_id = place.id
                       and s.nps_score < place.threshold and s.deleted_at is null
                       and ${isNew(sql`s.id`)}`,
    ),
  ),
}

/** Sends the mails that are due, none about nothing. Returns how many. */
export async function sendNotifications(tx: Tx): Promise<number> {
  let sent = 0
  for (;;) {
    const batch = await transaction(tx, sendBatch)
    sent += batch.sent
    if (batch.due < BATCH) return sent
  }
}

async function sendBatch(tx: Tx): Promise<{ due: number; sent: number }> {
  const due = await takeDue(tx, { max: BATCH })
  const wanted = due.filter(({ is_wanted }) => is_wanted)
  const pending = await tell(tx, 'pending', wanted)
  await queueMails(tx, pending.map(pendingMail))
  const low = await tell(tx, 'low_nps', wanted)
  await queueMails(tx, low.map(lowScoresMail))
  await settle(tx, {
    teams: due.map(({ team_id }) => team_id),
    users: due.map(({ user_id }) => user_id),
    kinds: due.map(({ kind }) => kind),
  })
  return { due: due.length, sent: pending.length + low.length }
}

interface Told extends DueNotification {
  /** The places with the most news first. */
  news: News[]
}

/** Returns the notifications of a kind for which there is news. */
async function tell(tx: Tx, kind: NotificationKind, due: DueNotification[]): Promise<Told[]> {
  const ofKind = due.filter((one) => one.kind === kind)
  if (ofKind.length === 0) return []
  const found = await countNews[kind](tx, {
    teams: ofKind.map(({ team_id }) => team_id),
    since: ofKind.map(({ told_until }) => told_until),
  })
  return ofKind.map((one, index) => ({ ...one, news: found.filter((news) => news.index === index) })).filter(({ news }) => news.length > 0)
}

type MailOf<Template extends NewMail<'pending-submissions' | 'low-scores'>['template']> = Omit<NewMail<Template>, 'sealed'>

function pendingMail({ email, name, team, team_id, user_id, news }: Told): MailOf<'pending-submissions'> {
  const fields = { name, team, news: totalOf(news, 'new submission'), places: placesOf(news), team_id, user_id }
  return { recipient: email, template: 'pending-submissions', fields }
}

function lowScoresMail({ email, name, team, team_id, user_id, threshold, news }: Told): MailOf<'low-scores'> {
  const fields = {
    name,
    team,
    news: totalOf(news, 'low NPS score'),
    places: placesOf(news),
    threshold: String(threshold),
    team_id,
    user_id,
  }
  return { recipient: email, template: 'low-scores', fields }
}

function totalOf(news: News[], noun: string): string {
  const total = news.reduce((sum, { count }) => sum + count, 0)
  const isMore = news.some(({ count }) => count === COUNTED)
  return `${total}${isMore ? ' or more' : ''} ${noun}${total === 1 ? '' : 's'}`
}

/** `Website (2), App (1)` */
function placesOf(news: News[]): string {
  const named = news.slice(0, NAMED).map(({ place, count }) => `${place} (${count}${count === COUNTED ? ' or more' : ''})`)
  const others = news.length - named.length
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join(', ')
}
