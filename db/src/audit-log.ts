import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { indexedList, type Listed, listedPage, scannedList, spanOf, walkOf } from './sql/bounded-list.ts'
import { columnsOf } from './sql/columns.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds } from './sql/pages.ts'
import { statementsByKey } from './sql/statement.ts'
import { audit_entries } from './tables/audit-log.ts'
import { type TeamUser, teamUserJson } from './users.ts'

/** An entry of the audit log, with its actor as the person is now. */
export type AuditRow = typeof audit_entries.$inferSelect & { actor: TeamUser | null }

const list = statementsByKey<PageBounds & { team_id: string; action: string | undefined }, Listed<AuditRow>>((key, p) => {
  const [span, filter] = key.split(',')
  const walk = walkOf(sql`from ${audit_entries} s where s.team_id = ${p.team_id}`, sql`s.id`, span)
  const columns = columnsOf(audit_entries, 's')
  return sql`
    select s.*, ${teamUserJson(sql`s.actor_user_id`)} as actor
      from (${filter ? scannedList(walk, [sql`s.action = ${p.action}`], columns) : indexedList(walk, columns)}) s
     order by s.id desc`
})

/** Lists the audit log of a team, newest first. */
export async function listAuditEntries<Item>(
  tx: Tx,
  { team_id, action, limit, ...query }: PageQuery & { team_id: string; action?: string | undefined },
  present: (row: AuditRow) => Item,
): Promise<Page<Item>> {
  const key = [spanOf(query), ...(action === undefined ? [] : ['action'])].join(',')
  return listedPage(await list(key)(tx, { ...pageBounds({ limit, ...query }), team_id, action }), limit, present)
}
