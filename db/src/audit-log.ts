import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { indexedList, type Listed, listedPage, scannedList, spanOf, walkOf } from './sql/bounded-list.ts'
import { type Page, type PageQuery, pageBounds } from './sql/pages.ts'
import { statementsByKey } from './sql/statement.ts'
import { audit_entries } from './tables/audit-log.ts'
import { users } from './tables/users.ts'
import type { UserRow } from './users.ts'

/** A line of the audit log, with who did it as the person is now. */
export type AuditRow = typeof audit_entries.$inferSelect & { actor: Pick<UserRow, 'id' | 'name' | 'email' | 'avatar_url'> | null }

const { placeholder } = sql
const ofTeam = sql`
      from ${audit_entries} s
     where s.team_id = ${placeholder('team_id')}`

const list = statementsByKey<object, Listed<AuditRow>>((key) => {
  const [span, filter] = key.split(',')
  const walk = walkOf(ofTeam, sql`s.id`, span)
  return sql`
    select s.*, (
             select jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email, 'avatar_url', u.avatar_url)
               from ${users} u
              where u.id = s.actor_user_id
           ) as actor
      from (${filter ? scannedList(walk, [sql`s.action = ${placeholder('action')}`]) : indexedList(walk)}) s
     order by s.id desc`
})

/** Who changed what, newest first. */
export async function listAuditEntries<Item>(
  tx: Tx,
  { team_id, action, limit, ...query }: PageQuery & { team_id: string; action?: string | undefined },
  present: (row: AuditRow) => Item,
): Promise<Page<Item>> {
  const key = [spanOf(query), ...(action === undefined ? [] : ['action'])].join(',')
  return listedPage(await list(key)(tx, { ...pageBounds({ limit, ...query }), team_id, action }), limit, present)
}
