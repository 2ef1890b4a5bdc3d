import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { imports } from './tables/imports.ts'
import { teams } from './tables/teams.ts'
import { unused_blobs } from './tables/unused-blobs.ts'
import { video_parts, videos } from './tables/videos.ts'

/** A blob of the store, with the team and the video or import that its key names. */
export interface StoredBlob {
  team_id: string
  owner_id: string
  key: string
}

/** Among blobs: those that were noted, and those of teams that this database does not know. */
export interface Orphans {
  noted: number
  unknown: number
}

// One snapshot: a blob that is being stored is announced until the statement that refers to it, so it is always in one of these tables.
const note = statement<{ team_ids: string[]; owner_ids: string[]; keys: string[] }, Orphans>(
  (p) => sql`
  with orphaned as materialized (
    select g.team_id, g.key, exists (select from ${teams} t where t.id = g.team_id) as is_known
      from unnest(${p.team_ids}::uuid[], ${p.owner_ids}::uuid[], ${p.keys}::text[]) g (team_id, owner_id, key)
     where not exists (select from ${unused_blobs} u where u.team_id = g.team_id and u.key = g.key)
       and not exists (select from ${videos} v where v.team_id = g.team_id and v.id = g.owner_id and g.key in (v.clip_key, v.poster_key))
       and not exists (select from ${video_parts} r where r.team_id = g.team_id and r.video_id = g.owner_id and r.key = g.key)
       and not exists (select from ${imports} i where i.team_id = g.team_id and i.id = g.owner_id and i.file_key = g.key)
  ),
  noted as (
    insert into ${unused_blobs} (team_id, key, delete_at)
    select o.team_id, o.key, now() + interval '1 day'
      from orphaned o
     where o.is_known
        on conflict do nothing
    returning 1
  )
  select (select count(*)::int from noted) as noted, count(*) filter (where not o.is_known)::int as unknown
    from orphaned o`,
)

/**
 * Lets a job delete blobs that nothing refers to, a day from now: what comes to refer to one until then takes it out, as after an
 * announcement. Those of unknown teams are only counted: the store may be shared with another service.
 */
export async function noteOrphans(tx: Tx, blobs: readonly StoredBlob[]): Promise<Orphans> {
  const team_ids = blobs.map(({ team_id }) => team_id)
  const owner_ids = blobs.map(({ owner_id }) => owner_id)
  return onlyOne(await note(tx, { team_ids, owner_ids, keys: blobs.map(({ key }) => key) }))
}
