import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { enqueue } from '../jobs.ts'
import { statement } from '../sql/statement.ts'
import { submissions } from '../tables/submissions.ts'
import { video_captions, videos } from '../tables/videos.ts'
import { type CaptionedVideo, captionedColumns } from '../videos/videos.ts'
import { findOwnOf, isAuthor, type Key, type Keys, keyed, keysOf, listOwnOf } from './authored-records.ts'
import { noteErased, type RequestRef } from './erased-records.ts'
import { mentions, type Person, type PersonValues, withoutAddress } from './person.ts'
import { scanOf } from './scan.ts'
import { textsOf, withoutExtension } from './texts.ts'

const findOwn = findOwnOf(videos)

/** Erases up to `max` videos whose draft's author has the address; returns how many. */
export async function eraseOwnVideos(tx: Tx, ref: RequestRef, person: Person, max: number): Promise<number> {
  return eraseVideos(tx, ref, await findOwn(tx, { ...person, max }))
}

const extension = (name: SQL) => sql`coalesce(substring(${name} from '\\.[^.]*$'), '')`

/** What is said beside a video `s`. */
const texts = sql`concat_ws(E'\\n', ${textsOf('videos', 'delete row')}, ${withoutExtension(sql`s.file_name`)})`

/** What the team wrote under a video `s`. */
const captions = sql`(
                   select string_agg(concat_ws(E'\\n', c.label, c.vtt), E'\\n')
                     from ${video_captions} c
                    where c.team_id = s.team_id and c.project_id = s.project_id and c.video_id = s.id
                 )`

/**
 * Finds videos whose draft's `author` has the address, those of the person's submissions and those without an author's address that have
 * it, which are the person's `own`, and those of `other` people that mention it.
 */
export const scanVideos = scanOf<PersonValues, CaptionedVideo>({
  table: sql`${videos}`,
  key: ['project_id', 'id'],
  columns: captionedColumns('s'),
  verdict: (p) => sql`
               case
                 when ${isAuthor(p)} then 'author'
                 when exists (
                   select
                     from ${submissions} o
                    where o.team_id = s.team_id and o.project_id = s.project_id and o.id = s.submission_id
                      and o.author_email is not null and lower(o.author_email) = any (${p.emails}::text[])
                 ) then 'own'
                 when ${mentions(texts, p)} or ${mentions(captions, p)} then
                   case when s.author_email is null then 'own' else 'other' end
               end`,
})

/** Lists the next videos whose draft's author has the address. */
export const listOwnVideos = listOwnOf<CaptionedVideo>(videos, captionedColumns('s'))

// In the order of the ids. Whoever makes one ready, or submits its draft, has finished before, or finds it gone.
const lock = statement<Keys, Key>(
  (p) => sql`
  select s.project_id, s.id
    from ${videos} s
    join ${keyed(p)} on k.project_id = s.project_id and k.id = s.id
   where s.team_id = ${p.team_id}
   order by s.id
     for update of s`,
)

const lockOfSubmissions = statement<Keys, Key>(
  (p) => sql`
  select s.project_id, s.id
    from ${videos} s
    join ${submissions} o on o.team_id = s.team_id and o.project_id = s.project_id and o.video_id = s.id
    join ${keyed(p)} on k.project_id = o.project_id and k.id = o.id
   where o.team_id = ${p.team_id}
   order by s.id
     for update of s`,
)

// In the order in which moderators of many submissions lock them.
const leaveSubmissions = statement<Keys, never>(
  (p) => sql`
  with left_alone as (
    select o.team_id, o.project_id, o.id
      from ${submissions} o
      join ${videos} v on v.team_id = o.team_id and v.project_id = o.project_id and v.id = o.video_id and v.submission_id = o.id
      join ${keyed(p)} on k.project_id = v.project_id and k.id = v.id
     where v.team_id = ${p.team_id}
     order by o.id
       for no key update of o
  )
  update ${submissions} s
     set video_id = null, video_is_ready = false, updated_at = now()
    from left_alone l
   where s.team_id = l.team_id and s.project_id = l.project_id and s.id = l.id`,
)

// A trigger notes the blobs, also those of the parts. Uploads and transcodes that run find no row, so nothing of theirs is kept.
const remove = statement<Keys, { id: string }>(
  (p) => sql`
  delete from ${videos} s
   using ${keyed(p)}
   where s.team_id = ${p.team_id} and s.project_id = k.project_id and s.id = k.id
  returning s.id`,
)

/** Removes videos for good, and lets a job delete their files. Their submissions stay without them. Returns how many there were. */
export async function eraseVideos(tx: Tx, ref: RequestRef, keys: readonly Key[]): Promise<number> {
  if (keys.length === 0) return 0
  const values = keysOf(ref, await lock(tx, keysOf(ref, keys)))
  await leaveSubmissions(tx, values)
  return removeLocked(tx, ref, values)
}

/** Removes the videos of submissions that are about to go. Call it before the submissions are locked. Returns how many there were. */
export async function eraseVideosOf(tx: Tx, ref: RequestRef, submissions: readonly Key[]): Promise<number> {
  return removeLocked(tx, ref, keysOf(ref, await lockOfSubmissions(tx, keysOf(ref, submissions))))
}

async function removeLocked(tx: Tx, ref: RequestRef, values: Keys): Promise<number> {
  if (values.ids.length === 0) return 0
  await noteErased(tx, ref, 'records', values.ids)
  const gone = await remove(tx, values)
  await enqueue(tx, 'blobs', {})
  return gone.length
}

const WORDS = ['title', 'body', 'author_name', 'author_title', 'author_company', 'author_website_url']
const OTHERS = ['consent_text', 'error_detail']

const redact = statement<Keys & PersonValues, never>(
  (p) => sql`
  update ${videos} s
     set ${sql.join(
       [...WORDS, ...OTHERS].map((name) => sql`${sql.raw(name)} = ${withoutAddress(sql.raw(`s.${name}`), p)}`),
       sql`,\n         `,
     )},
         file_name = ${withoutAddress(withoutExtension(withoutAddress(sql`s.file_name`, p)), p)} || ${extension(withoutAddress(sql`s.file_name`, p))},
         metadata = ${withoutAddress(sql`s.metadata::text`, p)}::jsonb,
         updated_at = now()
    from ${keyed(p)}
   where s.team_id = ${p.team_id} and s.project_id = k.project_id and s.id = k.id`,
)

const redactCaptions = statement<Keys & PersonValues, never>(
  (p) => sql`
  update ${video_captions} s
     set label = ${withoutAddress(sql`s.label`, p)}, vtt = ${withoutAddress(sql`s.vtt`, p)}
    from ${keyed(p)}
   where s.team_id = ${p.team_id} and s.project_id = k.project_id and s.video_id = k.id`,
)

/** Replaces the address in the drafts of others, and in what is written under their videos. */
export async function redactVideos(tx: Tx, ref: RequestRef, person: Person, keys: readonly Key[]): Promise<void> {
  if (keys.length === 0) return
  const values = { ...person, ...keysOf(ref, keys) }
  await lock(tx, keysOf(ref, keys))
  await redact(tx, values)
  await redactCaptions(tx, values)
}
