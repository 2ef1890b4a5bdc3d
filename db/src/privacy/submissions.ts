import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { columnsOf } from '../sql/columns.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { type SubmissionRow, submissions } from '../tables/submissions.ts'
import { findOwnOf, isAuthor, type Key, type Keys, keyed, keysOf, listOwnOf } from './authored-records.ts'
import { noteErased, type RequestRef } from './erased-records.ts'
import { mayMention, mentions, type Person, type PersonValues, withoutAddress } from './person.ts'
import type { PersonalCounts } from './requests.ts'
import { scanOf } from './scan.ts'
import { forgetInSearch } from './search-index.ts'
import { textsOf } from './texts.ts'
import { eraseVideosOf } from './videos.ts'

const findOwn = findOwnOf(submissions)

/** What went: submissions, and their videos. */
type ErasedSubmissions = Pick<PersonalCounts, 'submissions' | 'videos'>

/** Erases up to `max` submissions whose author has the address. */
export async function eraseOwnSubmissions(tx: Tx, ref: RequestRef, person: Person, max: number): Promise<ErasedSubmissions> {
  return eraseSubmissions(tx, ref, await findOwn(tx, { ...person, max }))
}

/**
 * Finds submissions whose `author` has the address, those without an author's address that have it, which are the person's `own`, and
 * those of `other` people that mention it.
 */
export const scanSubmissions = scanOf<PersonValues, SubmissionRow>({
  table: sql`${submissions}`,
  key: ['project_id', 'id'],
  columns: columnsOf(submissions, 's'),
  verdict: (p) => sql`
               case
                 when not ${mayMention(textsOf('submissions', 'delete row', 'replace'), p)} then null
                 when ${isAuthor(p)} then 'author'
                 when ${mentions(textsOf('submissions', 'delete row'), p)} then case when s.author_email is null then 'own' else 'other' end
                 when ${mentions(textsOf('submissions', 'replace'), p)} then 'other'
               end`,
})

/** Lists the next submissions whose author has the address. */
export const listOwnSubmissions = listOwnOf<SubmissionRow>(submissions, columnsOf(submissions, 's'))

const these = (p: Parameters<Keys>) => sql`
    from ${keyed(p)}
   where s.team_id = ${p.team_id} and s.project_id = k.project_id and s.id = k.id`

// In the order in which moderators of many submissions lock them.
const lock = statement<Keys, never>(
  (p) => sql`
  select
    from ${submissions} s
    join ${keyed(p)} on k.project_id = s.project_id and k.id = s.id
   where s.team_id = ${p.team_id}
   order by s.id
     for update of s`,
)

// First as every deletion: the triggers take it out of all figures.
const hide = statement<Keys, never>(
  (p) => sql`
  update ${submissions} s
     set deleted_at = now()
${these(p)} and s.deleted_at is null`,
)

const remove = statement<Keys, { id: string }>(
  (p) => sql`
  delete from ${submissions} s
   using ${keyed(p)}
   where s.team_id = ${p.team_id} and s.project_id = k.project_id and s.id = k.id
  returning s.id`,
)

/** Removes submissions for good with their videos, from figures and the search index too. */
export async function eraseSubmissions(tx: Tx, ref: RequestRef, keys: readonly Key[]): Promise<ErasedSubmissions> {
  if (keys.length === 0) return { submissions: 0, videos: 0 }
  const values = keysOf(ref, keys)
  // The videos first, as whoever makes one ready does.
  const erasedVideos = await eraseVideosOf(tx, ref, keys)
  await lock(tx, values)
  await hide(tx, values)
  await noteErased(tx, ref, 'records', values.ids)
  await forgetInSearch(tx, ref.team_id, indexed(keys))
  return { submissions: (await remove(tx, values)).length, videos: erasedVideos }
}

const WORDS = ['title', 'body', 'author_name', 'author_title', 'author_company', 'author_avatar_url', 'author_website_url']
const OTHERS = ['consent_text', 'source_provider', 'source_url', 'excerpt', 'moderation_reason']

// An external id is unique in its project, so the record's own id takes its place.
const redact = statement<Keys & PersonValues, never>(
  (p) => sql`
  update ${submissions} s
     set ${sql.join(
       [...WORDS, ...OTHERS].map((name) => sql`${sql.raw(name)} = ${withoutAddress(sql.raw(`s.${name}`), p)}`),
       sql`,\n         `,
     )},
         external_id = case when ${mentions(sql`s.external_id`, p)} then 'erased:' || s.id else s.external_id end,
         metadata = ${withoutAddress(sql`s.metadata::text`, p)}::jsonb,
         tags = array(
           select t.tag
             from (
                    select ${withoutAddress(sql`g.tag`, p)} as tag, min(g.number) as number
                      from unnest(s.tags) with ordinality g (tag, number)
                     group by 1
                  ) t
            order by t.number
         ),
         updated_at = now()
${these(p)}`,
)

/** Replaces the address in the submissions of others. */
export async function redactSubmissions(tx: Tx, ref: RequestRef, person: Person, keys: readonly Key[]): Promise<void> {
  if (keys.length === 0) return
  const values = keysOf(ref, keys)
  await lock(tx, values)
  await redact(tx, { ...person, ...values })
  await forgetInSearch(tx, ref.team_id, indexed(keys))
}

function indexed(keys: readonly Key[]) {
  return keys.map(({ project_id, id }) => ({ project_id, id, list_id: project_id }))
}
