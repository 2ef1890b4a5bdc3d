import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { enqueue, type JobPayload } from '../jobs.ts'
import type { ProjectRef } from '../projects.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { decodeTextCursor, encodeTextCursor, type Page, type PageQuery } from '../sql/pages.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { submission_tags, submissions, tag_changes, tag_totals } from '../tables/submissions.ts'
import { widgets } from '../tables/widgets.ts'

/** How many submissions a request changes, and a job in one transaction. */
const BATCH = 1_000

/** How many submissions have a tag. */
export interface TagCount {
  tag: string
  count: number
}

interface TagRef extends ProjectRef {
  tag: string
}

/** A tag that becomes another one, or none. */
type TagChange = TagRef & { name: string | null }

const inProject = (p: Parameters<ProjectRef>) => sql`team_id = ${p.team_id} and project_id = ${p.project_id}`

// A page of totals, and all changes: the workers leave few. If the totals go on, only changes before their last tag belong to the page.
const list = statement<ProjectRef & { after: string; take: number }, TagCount & { team_id: string; is_last: boolean }>(
  (p) => sql`
  with totals as materialized (
    select team_id, tag, count
      from ${tag_totals}
     where ${inProject(p)} and tag > ${p.after}
     order by tag
     limit ${p.take}
  ),
  page_end as materialized (
    select max(tag) as tag
      from totals
    having count(*) = ${p.take}
  )
  select f.team_id, f.tag, sum(f.count)::int as count, f.tag = (select tag from page_end) as is_last
    from (
           select team_id, tag, count
             from totals
            union all
           select team_id, tag, amount
             from ${tag_changes}
            where ${inProject(p)} and tag > ${p.after} and tag <= coalesce((select tag from page_end), tag)
         ) f
   group by f.team_id, f.tag
   order by f.tag`,
)

/** Lists the tags of a project with their counts, in the order of the tags. A page can be shorter than its limit. */
export async function listTags(tx: Tx, { team_id, project_id, cursor, limit }: PageQuery & ProjectRef): Promise<Page<TagCount>> {
  const rows = await list(tx, { team_id, project_id, after: decodeTextCursor(cursor), take: limit + 1 })
  const used = rows.filter(({ count }) => count > 0)
  const shown = used.slice(0, limit)
  // More than the page holds, or more totals than were read.
  const last = used.length > limit ? shown.at(-1)?.tag : rows.find(({ is_last }) => is_last)?.tag
  return {
    results: shown.map(({ tag, count }) => ({ tag, count })),
    next_cursor: last === undefined ? null : encodeTextCursor(last),
  }
}

const count = statement<TagRef, { team_id: string; count: number }>(
  (p) => sql`
  select f.team_id, sum(f.count)::int as count
    from (
           select team_id, count
             from ${tag_totals}
            where ${inProject(p)} and tag = ${p.tag}
            union all
           select team_id, amount
             from ${tag_changes}
            where ${inProject(p)} and tag = ${p.tag}
         ) f
   group by f.team_id`,
)

async function countOf(tx: Tx, { team_id, project_id, tag }: TagRef): Promise<number> {
  return (await count(tx, { team_id, project_id, tag }))[0]?.count ?? 0
}

// Locked in the order of their ids, so that two changes of tags never wait for each other in a circle.
const changeBatch = statement<TagChange, { changed: number }>(
  (p) => sql`
  with tagged as materialized (
    select submission_id
      from ${submission_tags}
     where ${inProject(p)} and tag = ${p.tag}
     order by submission_id
     limit ${sql.raw(String(BATCH))}
  ),
  locked as materialized (
    select id
      from ${submissions}
     where ${inProject(p)} and id = any (array(select submission_id from tagged))
     order by id
       for no key update
  ),
  changed as (
    update ${submissions} s
       set tags = case when ${p.name}::text = any (s.tags) or ${p.name}::text is null then array_remove(s.tags, ${p.tag}::text)
                       else array_replace(s.tags, ${p.tag}::text, ${p.name}::text) end,
           updated_at = now()
     where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.id = any (array(select id from locked))
    returning 1
  )
  select count(*)::int as changed
    from changed`,
)

const changeWidgets = statement<TagChange, never>(
  (p) => sql`
  update ${widgets}
     set filter_tags = case when ${p.name}::text = any (filter_tags) or ${p.name}::text is null then array_remove(filter_tags, ${p.tag}::text)
                            else array_replace(filter_tags, ${p.tag}::text, ${p.name}::text) end,
         updated_at = now()
   where ${inProject(p)} and deleted_at is null and ${p.tag}::text = any (filter_tags)`,
)

/** Renames a tag, or merges it into one that there is, and returns the count of that. Throws `not_found`. */
export async function renameTag(tx: Tx, actor: Actor, { team_id, project_id, tag }: TagRef, name: string): Promise<TagCount> {
  return transaction(tx, async (tx) => {
    const isMerged = name !== tag && (await countOf(tx, { team_id, project_id, tag: name })) > 0
    await changeTag(tx, actor, { team_id, project_id, tag, name }, isMerged ? 'tag.merged' : 'tag.renamed')
    return { tag: name, count: await countOf(tx, { team_id, project_id, tag: name }) }
  })
}

/** Removes a tag from all submissions. Throws `not_found`. */
export async function deleteTag(tx: Tx, actor: Actor, { team_id, project_id, tag }: TagRef): Promise<void> {
  await transaction(tx, (tx) => changeTag(tx, actor, { team_id, project_id, tag, name: null }, 'tag.deleted'))
}

async function changeTag(tx: Tx, actor: Actor, change: TagChange, action: `tag.${string}`): Promise<void> {
  const { team_id, project_id, tag, name } = change
  if ((await countOf(tx, change)) <= 0) notFound()
  if (name === tag) return
  await changeWidgets(tx, change)
  const { changed } = onlyOne(await changeBatch(tx, change))
  if (changed === BATCH) await enqueue(tx, 'tag', change)
  // A tag has no id of its own.
  const changes = { tag: { from: tag, to: name } }
  await recordAudit(tx, actor, { team_id, project_id, action, target: 'tag', target_id: project_id, changes })
}

/** Changes more of the submissions with a tag. Returns whether there may be others. */
export function continueTagChange(tx: Tx, change: JobPayload<'tag'>): Promise<boolean> {
  return transaction(tx, async (tx) => onlyOne(await changeBatch(tx, change)).changed === BATCH)
}
