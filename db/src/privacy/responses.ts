import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { columnsOf } from '../sql/columns.ts'
import { statement } from '../sql/statement.ts'
import { noteDeletedResponses } from '../surveys/response-figures.ts'
import { type ResponseRow, survey_responses, surveys } from '../tables/surveys.ts'
import { noteErased, type RequestRef } from './erased-records.ts'
import { mayMention, mentions, type Person, type PersonValues, withoutAddress } from './person.ts'
import { type Batch, type Position, scanOf } from './scan.ts'
import { forgetInSearch } from './search-index.ts'
import { textsOf } from './texts.ts'

/** Responses of a page of an export. */
const LISTED = 250

interface Key {
  project_id: string
  survey_id: string
  id: string
}

const isRespondent = (p: { readonly emails: unknown }) =>
  sql`s.respondent_email is not null and lower(s.respondent_email) = any (${p.emails}::text[])`

// By the index on the address.
const findOwn = statement<PersonValues & { max: number }, Key>(
  (p) => sql`
  select s.project_id, s.survey_id, s.id
    from ${survey_responses} s
   where s.team_id = ${p.team_id} and ${isRespondent(p)}
   order by s.id
   limit ${p.max}`,
)

/** Erases up to `max` responses whose respondent has the address; returns how many. */
export async function eraseOwnResponses(tx: Tx, ref: RequestRef, person: Person, max: number): Promise<number> {
  return eraseResponses(tx, ref, await findOwn(tx, { ...person, max }))
}

/**
 * Finds responses whose respondent has the address (`author`), those without a respondent's address that have it, which are the person's
 * `own`, and those of `other` people that mention it.
 */
export const scanResponses = scanOf<PersonValues, ResponseRow>({
  table: sql`${survey_responses}`,
  key: ['project_id', 'survey_id', 'id'],
  columns: columnsOf(survey_responses, 's'),
  verdict: (p) => sql`
               case
                 when not ${mayMention(textsOf('survey_responses', 'delete row'), p)} then null
                 when ${isRespondent(p)} then 'author'
                 when ${mentions(textsOf('survey_responses', 'delete row'), p)} then
                   case when s.respondent_email is null then 'own' else 'other' end
               end`,
})

type Keys = { team_id: string; project_ids: string[]; survey_ids: string[]; ids: string[] }

const keyed = (p: { readonly [Name in keyof Keys]-?: unknown }) =>
  sql`unnest(${p.project_ids}::uuid[], ${p.survey_ids}::uuid[], ${p.ids}::uuid[]) k (project_id, survey_id, id)`
const these = (p: { readonly team_id: unknown }) =>
  sql`s.team_id = ${p.team_id} and s.project_id = k.project_id and s.survey_id = k.survey_id and s.id = k.id`

const listOwn = statement<PersonValues & { position: Position }, ResponseRow>(
  (p) => sql`
  select ${columnsOf(survey_responses, 's')}
    from ${survey_responses} s
   where s.team_id = ${p.team_id} and ${isRespondent(p)} and s.deleted_at is null and s.id > (${p.position}::uuid[])[1]
   order by s.id
   limit ${sql.raw(String(LISTED))}`,
)

/** Lists the next responses whose respondent has the address, by the index on it. */
export async function listOwnResponses(tx: Tx, values: PersonValues & { position: Position }): Promise<Batch<ResponseRow>> {
  const rows = await listOwn(tx, values)
  const last = rows.at(-1)
  return { rows, next: last && rows.length === LISTED ? [last.id] : null }
}

const hide = statement<Keys, ResponseRow>(
  (p) => sql`
  update ${survey_responses} s
     set deleted_at = now()
    from ${keyed(p)}
   where ${these(p)} and s.deleted_at is null
  returning ${columnsOf(survey_responses, 's')}`,
)

// Rows of surveys are locked in the order of their ids.
const freePlaces = statement<Keys, never>(
  (p) => sql`
  update ${surveys} s
     set response_count = greatest(s.response_count - f.places, 0)
    from (
           select l.project_id, l.id, k.places
             from ${surveys} l
             join (select project_id, survey_id, count(*)::int as places from ${keyed(p)} group by 1, 2) k
               on k.project_id = l.project_id and k.survey_id = l.id
            where l.team_id = ${p.team_id} and l.response_limit is not null
            order by l.id
              for no key update of l
         ) f
   where s.team_id = ${p.team_id} and s.project_id = f.project_id and s.id = f.id`,
)

const remove = statement<Keys, { id: string }>(
  (p) => sql`
  delete from ${survey_responses} s
   using ${keyed(p)}
   where ${these(p)}
  returning s.id`,
)

/** Removes responses for good, from figures and the search index too; returns how many. */
export async function eraseResponses(tx: Tx, ref: RequestRef, keys: readonly Key[]): Promise<number> {
  if (keys.length === 0) return 0
  const counted = await hide(tx, keysOf(ref, keys))
  await noteDeletedResponses(tx, counted)
  if (counted.length > 0) await freePlaces(tx, keysOf(ref, counted))
  const values = keysOf(ref, keys)
  await noteErased(tx, ref, 'records', values.ids)
  await forgetInSearch(tx, ref.team_id, indexed(keys))
  return (await remove(tx, values)).length
}

// An external id is unique in its survey if each respondent answers once, so the response's own id takes its place.
const redact = statement<Keys & PersonValues, never>(
  (p) => sql`
  update ${survey_responses} s
     set respondent_name = ${withoutAddress(sql`s.respondent_name`, p)},
         respondent_external_id = case
           when ${mentions(sql`s.respondent_external_id`, p)} then 'erased:' || s.id else s.respondent_external_id end,
         respondent_properties = ${withoutAddress(sql`s.respondent_properties::text`, p)}::jsonb,
         answers = ${withoutAddress(sql`s.answers::text`, p)}::jsonb,
         hidden = ${withoutAddress(sql`s.hidden::text`, p)}::jsonb,
         updated_at = now()
    from ${keyed(p)}
   where ${these(p)}`,
)

/** Replaces the address in the responses of others. */
export async function redactResponses(tx: Tx, ref: RequestRef, person: Person, keys: readonly Key[]): Promise<void> {
  if (keys.length === 0) return
  await redact(tx, { ...person, ...keysOf(ref, keys) })
  await forgetInSearch(tx, ref.team_id, indexed(keys))
}

function keysOf({ team_id }: Pick<RequestRef, 'team_id'>, keys: readonly Key[]): Keys {
  return {
    team_id,
    project_ids: keys.map(({ project_id }) => project_id),
    survey_ids: keys.map(({ survey_id }) => survey_id),
    ids: keys.map(({ id }) => id),
  }
}

function indexed(keys: readonly Key[]) {
  return keys.map(({ project_id, survey_id, id }) => ({ project_id, id, list_id: survey_id }))
}
