import type { InvitationState } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { indexedList, type Listed, listedPage, scannedList, walkOf } from '../sql/bounded-list.ts'
import { columnsOf } from '../sql/columns.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds } from '../sql/pages.ts'
import { statementsByKey } from '../sql/statement.ts'
import { invitations } from '../tables/invitations.ts'
import { columns, type InvitationRow, stateNow } from './row.ts'

const list = statementsByKey<PageBounds & { team_id: string; state: InvitationState | undefined }, Listed<InvitationRow>>((filter, p) => {
  const walk = walkOf(sql`from ${invitations} s where s.team_id = ${p.team_id}`, sql`s.id`, 'ever')
  const own = columnsOf(invitations, 's')
  const [listed, source] =
    filter === 'state'
      ? [sql`${columns}, i.matches, i.stops`, scannedList(walk, [sql`${stateNow(sql`s`)} = ${p.state}`], own)]
      : [columns, indexedList(walk, own)]
  return sql`
    select ${listed}
      from (${source}) i
     order by i.id desc`
})

/** Lists the invitations of a team, newest first. */
export async function listInvitations<Item>(
  tx: Tx,
  { team_id, state, limit, ...query }: PageQuery & { team_id: string; state?: InvitationState | undefined },
  present: (row: InvitationRow) => Item,
): Promise<Page<Item>> {
  const rows = await list(state === undefined ? 'all' : 'state')(tx, { ...pageBounds({ limit, ...query }), team_id, state })
  return listedPage(rows, limit, present)
}
