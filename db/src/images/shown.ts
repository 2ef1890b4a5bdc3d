import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { notFound } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { type ImageCopyRow, image_copies } from '../tables/image-copies.ts'
import { projects } from '../tables/projects.ts'
import { submissions } from '../tables/submissions.ts'
import { teams } from '../tables/teams.ts'

/** The version of the author's picture of a submission `s`; null without one: a look-up for each row that may have one. */
export const AUTHOR_IMAGE = sql`case when s.author_avatar_url is not null then (
           select i.version
             from ${image_copies} i
            where i.team_id = s.team_id and i.owner_id = s.id
         ) end as author_image`

/** A copy as it is served. */
export interface ShownImage {
  /** Null while it is being made. */
  version: string | null
  /** Of the bytes; null while there are none. */
  size: number | null
  /** Null when they are not needed. */
  bytes: ImageCopyRow['bytes']
}

export interface ImageRef {
  team_id: string
  /** The submission of an author, or the project of a logo. */
  owner_id: string
  /** A hash of the bytes; null for those of now, or for one that is being copied. */
  version: string | null
}

/** What the caller does without: the bytes altogether, or those that it has, by their entity tags (or `*`). */
interface Needs {
  isHead: boolean
  known: readonly string[]
}

// What is there is public: the image of a submission that is not any more goes with that change. That it is, is asked all the same: a
// copy that is left behind by mistake is not shown. The size is known without a read of the bytes, which lie outside of the row.
const find = statement<ImageRef & { is_head: boolean; known: readonly string[] }, ShownImage>(
  (p) => sql`
  select case when i.state = 'ready' then i.version end as version, octet_length(i.bytes) as size,
         case when not ${p.is_head}::boolean and not ${p.known}::text[] && array['*', '"' || i.version || '"'] then i.bytes end as bytes
    from ${image_copies} i
    join ${projects} o on o.team_id = i.team_id and o.id = i.project_id and o.deleted_at is null
    join ${teams} t on t.id = i.team_id and t.deleted_at is null
   where i.team_id = ${p.team_id} and i.owner_id = ${p.owner_id}
     and (i.state = 'ready' and coalesce(${p.version}::text, i.version) = i.version or i.state = 'pending' and ${p.version}::text is null)
     and (i.kind <> 'avatar' or exists (
           select
             from ${submissions} s
            where s.team_id = i.team_id and s.project_id = i.project_id and s.id = i.owner_id and s.is_public
         ))`,
)

/** Reads a copy that everybody may see. Throws `not_found`. */
export async function findImage(tx: Tx, { team_id, owner_id, version }: ImageRef, { isHead, known }: Needs): Promise<ShownImage> {
  return (await find(tx, { team_id, owner_id, version, is_head: isHead, known }))[0] ?? notFound()
}
