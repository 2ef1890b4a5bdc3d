import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { isProjectThere } from '../projects.ts'
import { notFound } from '../sql/rows.ts'
import { type Parameters, statementsByKey } from '../sql/statement.ts'
import { credentials } from '../tables/credentials.ts'
import { memberships } from '../tables/members.ts'
import { plans } from '../tables/plans.ts'
import { submissions } from '../tables/submissions.ts'
import { teams } from '../tables/teams.ts'
import { users } from '../tables/users.ts'
import { type VideoRow, video_captions, videos } from '../tables/videos.ts'
import { isVideo, type VideoRef } from './ref.ts'

/** The files of a video that may be watched now. */
export type MediaRow = Pick<VideoRow, 'file_name' | 'clip_key' | 'clip_bytes' | 'poster_key' | 'poster_bytes' | 'attempt'> & {
  /** The captions that were asked for; null if there are none. */
  vtt: string | null
}

/** Whom a link was signed for: everybody, or the holder of a credential. */
export type MediaAudience = { credentialId: string } | 'public'

interface Query extends VideoRef {
  credential_id: string | null
  caption_id: string | null
}

const isPublic = sql`exists (
           select
             from ${submissions} s
            where s.team_id = v.team_id and s.project_id = v.project_id and s.id = v.submission_id and s.is_public
         )`

const isMember = (p: Parameters<Query>) => sql`exists (
           select
             from ${credentials} c
             join ${users} u on u.id = c.user_id and u.disabled_at is null
             join ${memberships} m on m.user_id = u.id and m.team_id = v.team_id
             join ${teams} t on t.id = m.team_id
             join ${plans} p on p.name = t.plan and (c.kind = 'session' or p.api_access)
            where c.id = ${p.credential_id}::uuid and c.revoked_at is null and (c.expires_at is null or c.expires_at > now())
         )`

const find = statementsByKey<Query, MediaRow>(
  (key, p) => sql`
  select v.team_id, v.file_name, v.clip_key, v.clip_bytes, v.poster_key, v.poster_bytes, v.attempt, (
           select c.vtt
             from ${video_captions} c
            where c.team_id = v.team_id and c.project_id = v.project_id and c.video_id = v.id and c.id = ${p.caption_id}::uuid
         ) as vtt
    from ${videos} v
   where ${isVideo(p)} and v.state = 'ready' and v.deleted_at is null and ${isProjectThere(p)}
     and ${key === 'public' ? isPublic : isMember(p)}`,
)

/**
 * Reads the files of a video, if those whom the link was signed for may watch it at this moment: everybody while it is public, the
 * holder of a credential while that is valid and its user in the team. Throws `not_found`.
 */
export async function findMedia(
  tx: Tx,
  { team_id, project_id, video_id }: VideoRef,
  { audience, caption_id }: { audience: MediaAudience; caption_id: string | null },
): Promise<MediaRow> {
  const credential_id = audience === 'public' ? null : audience.credentialId
  const key = audience === 'public' ? 'public' : 'member'
  return (await find(key)(tx, { team_id, project_id, video_id, credential_id, caption_id }))[0] ?? notFound()
}
