import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { columns, type InvitationRow } from '../invitations/row.ts'
import { columnsOf } from '../sql/columns.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { audit_entries } from '../tables/audit-log.ts'
import { credentials } from '../tables/credentials.ts'
import { idempotency_keys } from '../tables/idempotency.ts'
import { type FailedRow, import_rows } from '../tables/imports.ts'
import { invitations } from '../tables/invitations.ts'
import { mails } from '../tables/mails.ts'
import { memberships } from '../tables/members.ts'
import { projects } from '../tables/projects.ts'
import { erased, noteErased, type RequestRef } from './erased-records.ts'
import { mentions, type Person, type PersonValues } from './person.ts'
import { scanOf } from './scan.ts'
import { textsOf } from './texts.ts'

const listInvitations = statement<PersonValues, InvitationRow>(
  (p) => sql`
  select ${columns}
    from ${invitations} i
   where i.team_id = ${p.team_id} and lower(i.email) = any (${p.emails}::text[])
   order by i.id`,
)

/** Returns the invitations of the address to the team: closed ones are kept for weeks. */
export async function findInvitations(tx: Tx, person: Person): Promise<InvitationRow[]> {
  return listInvitations(tx, person)
}

const removeInvitations = statement<PersonValues, { id: string }>(
  (p) => sql`
  delete from ${invitations}
   where team_id = ${p.team_id} and lower(email) = any (${p.emails}::text[])
  returning id`,
)

/** Removes the invitations of the address to the team; returns how many. */
export async function eraseInvitations(tx: Tx, ref: RequestRef, person: Person): Promise<number> {
  const ids = (await removeInvitations(tx, person)).map(({ id }) => id)
  await noteErased(tx, ref, 'records', ids)
  return ids.length
}

const removeImportRows = statement<PersonValues & { max: number }, { id: string }>(
  (p) => sql`
  delete from ${import_rows}
   where ctid = any (array(
     select s.ctid
       from ${import_rows} s
      where s.team_id = ${p.team_id} and s.author_email = any (${p.emails}::text[])
      limit ${p.max}
   ))
  returning id`,
)

/** Removes up to `max` rows of imports that failed and have the address; returns how many. */
export async function eraseImportRows(tx: Tx, person: Person, max: number): Promise<number> {
  return (await removeImportRows(tx, { ...person, max })).length
}

type ImportRowKey = Pick<FailedRow, 'project_id' | 'import_id' | 'id'>

/** Finds rows of imports that failed and mention the address. */
export const scanImportRows = scanOf<PersonValues, FailedRow>({
  table: sql`${import_rows}`,
  key: ['project_id', 'import_id', 'id'],
  columns: columnsOf(import_rows, 's'),
  verdict: (p) => sql`case when ${mentions(textsOf('import_rows', 'delete row'), p)} then 'own' end`,
})

const removeThese = statement<{ team_id: string; project_ids: string[]; import_ids: string[]; ids: string[] }, { id: string }>(
  (p) => sql`
  delete from ${import_rows} s
   using unnest(${p.project_ids}::uuid[], ${p.import_ids}::uuid[], ${p.ids}::uuid[]) k (project_id, import_id, id)
   where s.team_id = ${p.team_id} and s.project_id = k.project_id and s.import_id = k.import_id and s.id = k.id
  returning s.id`,
)

/** Removes rows of imports that failed; returns how many. */
export async function removeImportRowsOf(tx: Tx, team_id: string, rows: readonly ImportRowKey[]): Promise<number> {
  if (rows.length === 0) return 0
  const [project_ids, import_ids] = [rows.map(({ project_id }) => project_id), rows.map(({ import_id }) => import_id)]
  return (await removeThese(tx, { team_id, project_ids, import_ids, ids: rows.map(({ id }) => id) })).length
}

export type AuditEntryRow = typeof audit_entries.$inferSelect

/** Finds entries of the audit log that are about an erased record, or mention the address. */
export const scanAuditEntries = scanOf<PersonValues & RequestRef, AuditEntryRow>({
  table: sql`${audit_entries}`,
  key: ['id'],
  columns: columnsOf(audit_entries, 's'),
  verdict: (p) => sql`
               case
                 when s.changes = '{}' then null
                 when s.target_id in ${erased(p, 'records')} or ${mentions(textsOf('audit_entries', 'empty'), p)} then 'own'
               end`,
})

const emptyEntries = statement<{ team_id: string; ids: string[]; first: string; last: string }, never>(
  (p) => sql`
  update ${audit_entries}
     set changes = '{}'
   where team_id = ${p.team_id} and id = any (${p.ids}::uuid[]) and id between ${p.first}::uuid and ${p.last}::uuid`,
)

/** Empties the values of entries of the audit log: who did what, and when, stays. Returns how many. */
export async function emptyAuditEntries(tx: Tx, team_id: string, rows: readonly { id: string }[]): Promise<number> {
  const ids = rows.map(({ id }) => id)
  const [first, last] = [ids.at(0), ids.at(-1)]
  if (first && last) await emptyEntries(tx, { team_id, ids, first, last })
  return ids.length
}

// Mails are kept for 30 days and are few, so one statement reads them all. Those of accounts name no team: they are the owner's own.
const removeMails = statement<PersonValues, { count: number }>(
  (p) => sql`
  with gone as (
    delete from ${mails} s
     where s.fields->>'team_id' = ${p.team_id}::text
       and (
         (s.template = 'invitation' and lower(s.recipient) = any (${p.emails}::text[]))
         or ${mentions(sql`concat_ws(E'\\n', s.fields::text, s.error)`, p)}
       )
    returning 1
  )
  select count(*)::int as count
    from gone`,
)

/** Removes the invitation mails of the team to the address, and mails that mention it; returns how many. */
export async function eraseMails(tx: Tx, person: Person): Promise<number> {
  return onlyOne(await removeMails(tx, person)).count
}

// Keys are kept for a day, so one statement reads them all. A key is the caller's own text, of a member of the team or a visitor of one
// of its projects; one too many does no harm, so the quick pattern decides.
const removeResults = statement<PersonValues & { mac: Buffer }, { count: number }>(
  (p) => sql`
  with gone as (
    delete from ${idempotency_keys} s
     where s.person_macs @> array[${p.mac}::bytea]
        or (
          s.key ilike any (${p.likes}::text[])
          and (
            s.caller in (
              select 'credential:' || c.id
                from ${credentials} c
                join ${memberships} m on m.user_id = c.user_id and m.team_id = ${p.team_id}
            )
            or right(s.caller, 36) in (select j.id::text from ${projects} j where j.team_id = ${p.team_id})
          )
        )
    returning 1
  )
  select count(*)::int as count
    from gone`,
)

/** Removes the stored responses that name the address; returns how many. Their requests are done anew if they are repeated. */
export async function eraseIdempotentResults(tx: Tx, person: Person, mac: Buffer): Promise<number> {
  return onlyOne(await removeResults(tx, { ...person, mac })).count
}
