import { durations, type Plan, type Role } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import { requireTeamQuota } from './quotas.ts'
import type { Actor, UserActor } from './sql/actor.ts'
import { changedFields, recordAudit } from './sql/audit.ts'
import { columnsOf } from './sql/columns.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { insertRecord, lockRecord, removeRecord, updateRecord } from './sql/records.ts'
import { notFound } from './sql/rows.ts'
import { insertWithSlug } from './sql/slugs.ts'
import { type Parameters, statement } from './sql/statement.ts'
import { requireTimeZone } from './sql/time-zones.ts'
import { memberships } from './tables/members.ts'
import { teams } from './tables/teams.ts'

const DEFAULTS = {
  nps_low_score_threshold: 7,
  cors_origins: [] as string[],
  locale: 'en',
  timezone: 'UTC',
  payload_retention_days: durations.eventDays,
}
const COLUMNS = ['name', 'slug', 'nps_low_score_threshold', 'cors_origins', 'locale', 'timezone', 'payload_retention_days'] as const

type Team = typeof teams.$inferSelect

/** A team as one of its members sees it. */
export type TeamRow = Team & { role: Role }

/** The columns that a caller may set; absent ones stay as they are. */
export type TeamFields = Partial<Pick<Team, (typeof COLUMNS)[number]>>

interface TeamRef {
  team_id: string
}

const here = (p: Parameters<TeamRef>) => sql`id = ${p.team_id} and deleted_at is null`

const list = statement<PageBounds & { userId: string }, TeamRow>(
  (p) => sql`
  select ${columnsOf(teams, 't')}, m.role
    from ${memberships} m
    join ${teams} t on t.id = m.team_id and t.deleted_at is null
   where m.user_id = ${p.userId}
     and m.team_id < ${p.before}
   order by m.team_id desc
   limit ${p.take}`,
)

/** Lists the teams of a user, newest first. */
export async function listTeams<Item>(tx: Tx, userId: string, query: PageQuery, present: (row: TeamRow) => Item): Promise<Page<Item>> {
  return pageOf(await list(tx, { userId, ...pageBounds(query) }), query.limit, present)
}

const find = statement<TeamRef & { userId: string }, TeamRow>(
  (p) => sql`
  select ${columnsOf(teams, 't')}, t.id as team_id, m.role
    from ${teams} t
    join ${memberships} m on m.team_id = t.id and m.user_id = ${p.userId}
   where t.id = ${p.team_id} and t.deleted_at is null`,
)

/** Finds a team that the user belongs to. */
export async function findTeam(tx: Tx, userId: string, team_id: string): Promise<TeamRow> {
  return (await find(tx, { team_id, userId }))[0] ?? notFound()
}

const insert = insertRecord<Team>(teams, [...COLUMNS, 'plan', 'created_by'], {
  onConflict: sql`on conflict (slug) where deleted_at is null do nothing`,
})

const join = statement<TeamRef & { userId: string; role: Role }, never>(
  (p) => sql`
  insert into ${memberships} (team_id, user_id, role)
  values (${p.team_id}, ${p.userId}, ${p.role})`,
)

/**
 * Creates a team whose owner is the actor. Throws `quota_exceeded` for an actor who created `maxTeams` (null: no limit),
 * `already_exists` for a slug that is taken, `validation_error` for a time zone that PostgreSQL does not know.
 */
export async function createTeam(
  tx: Tx,
  actor: UserActor,
  fields: TeamFields & { name: string },
  { plan, maxTeams }: { plan: Plan; maxTeams: number | null },
): Promise<TeamRow> {
  const { userId } = actor
  return transaction(tx, async (tx) => {
    await requireTimeZone(tx, fields.timezone, 'settings.timezone')
    if (maxTeams !== null) await requireTeamQuota(tx, userId, maxTeams)
    const team = await insertWithSlug(fields, (slug) => insert(tx, { ...DEFAULTS, ...fields, slug, plan, created_by: userId }))
    await join(tx, { team_id: team.id, userId, role: 'owner' })
    await recordAudit(tx, actor, { ...target(team), action: 'team.created' })
    return { ...team, role: 'owner' }
  })
}

const lock = lockRecord<TeamRef, Team>(teams, here)
const update = updateRecord<TeamRef, Team>(teams, COLUMNS, here)

/** Changes a team and returns it as the actor sees it. Throws what `createTeam` throws. */
export async function updateTeam(tx: Tx, actor: UserActor, team_id: string, fields: TeamFields): Promise<TeamRow> {
  return transaction(tx, async (tx) => {
    await requireTimeZone(tx, fields.timezone, 'settings.timezone')
    const before = (await lock(tx, { team_id }))[0] ?? notFound()
    const after = (await update(tx, { team_id }, fields))[0] ?? notFound()
    await recordAudit(tx, actor, { ...target(after), action: 'team.updated', changes: changedFields(before, after) })
    return findTeam(tx, actor.userId, team_id)
  })
}

const remove = removeRecord<TeamRef, Team>(teams, here)

/** Makes the team and all in it invisible at once; a job removes it for good. */
export async function deleteTeam(tx: Tx, actor: Actor, team_id: string): Promise<void> {
  await transaction(tx, async (tx) => {
    const team = (await remove(tx, { team_id }))[0] ?? notFound()
    await recordAudit(tx, actor, { ...target(team), action: 'team.deleted' })
  })
}

/** What an audit entry says of a team. */
function target({ id }: Team) {
  return { team_id: id, target: 'team', target_id: id }
}
