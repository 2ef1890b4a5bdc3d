import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { returnUnits } from '../quotas.ts'
import { LOWEST_ID } from '../sql/pages.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { imports } from '../tables/imports.ts'
import { submissions } from '../tables/submissions.ts'
import { type ImportRef, isImport, lockImport } from './imports.ts'

const BATCH = 1_000

// In the order of the index, from where the last batch ended: what was removed is in the index until it is purged. Moderators
// lock one record at a time, or several in the order of their ids, as this does.
const remove = statement<ImportRef & { after: string; max: number }, { removed: number; last_id: string | null }>(
  (p) => sql`
  with next as materialized (
    select o.id
      from ${submissions} o
     where o.team_id = ${p.team_id} and o.project_id = ${p.project_id} and o.import_id = ${p.import_id} and o.id > ${p.after}
     order by o.id
     limit ${p.max}
  ),
  open as materialized (
    select o.id
      from ${submissions} o
     where o.team_id = ${p.team_id} and o.project_id = ${p.project_id} and o.id in (select id from next)
       and o.state = 'pending' and o.deleted_at is null
     order by o.id
       for no key update
  ),
  gone as (
    update ${submissions} s
       set deleted_at = now()
     where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.id in (select id from open)
    returning s.id
  )
  select (select count(*) from gone)::int as removed, (select id from next order by id desc limit 1) as last_id`,
)

// Only what was used this month comes back.
const noteRemoved = statement<ImportRef & { removed: number; last_id: string }, { returned: number }>(
  (p) => sql`
  update ${imports}
     set removed_count = removed_count + ${p.removed}::int,
         undone_until = ${p.last_id},
         charged_units = charged_units - case when charged_period = month.first then least(charged_units, ${p.removed}::int) else 0 end,
         updated_at = now()
    from (select date_trunc('month', now() at time zone 'UTC')::date as first) month
   where ${isImport(p)}
  returning old.charged_units - new.charged_units as returned`,
)

const finish = statement<ImportRef, never>(
  (p) => sql`
  update ${imports}
     set finished_at = now(), updated_at = now()
   where ${isImport(p)}`,
)

/**
 * Removes the next records of an undone import that nobody has decided on, and gives back their units, in one transaction.
 * Returns whether there may be more.
 */
export function continueUndo(tx: Tx, ref: ImportRef): Promise<boolean> {
  return transaction(tx, async (tx) => {
    const [row] = await lockImport(tx, ref)
    if (row?.state !== 'undone' || row.finished_at !== null) return false
    const { removed, last_id } = onlyOne(await remove(tx, { ...ref, after: row.undone_until ?? LOWEST_ID, max: BATCH }))
    if (last_id === null) {
      await finish(tx, ref)
      return false
    }
    const { returned } = onlyOne(await noteRemoved(tx, { ...ref, removed, last_id }))
    if (returned > 0) await returnUnits(tx, ref.team_id, 'imported_rows', returned)
    return true
  })
}
