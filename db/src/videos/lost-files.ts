import type { VideoFailure, VideoState } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { submissions } from '../tables/submissions.ts'
import { type VideoRow, video_parts, videos } from '../tables/videos.ts'
import { discardClip, discardParts } from './ledger.ts'
import { isVideo, type VideoRef } from './ref.ts'
import { KEPT_AFTER_FAILURE } from './transcodes.ts'

const LISTED = 500

/** The blobs that a video refers to. */
export interface VideoFiles extends VideoRef, Pick<VideoRow, 'clip_key' | 'poster_key'> {
  /** Keys of the parts of its original. */
  parts: string[]
}

const nextTeam = statement<{ after: string | null }, { team_id: string }>(
  (p) => sql`
  select v.team_id
    from ${videos} v
   where v.team_id > coalesce(${p.after}::uuid, '00000000-0000-0000-0000-000000000000')
   order by v.team_id
   limit 1`,
)

/** Returns the next team that has videos, in the order of the ids; null after the last one. */
export async function nextTeamWithVideos(tx: Tx, after: string | null): Promise<string | null> {
  return (await nextTeam(tx, { after }))[0]?.team_id ?? null
}

const list = statement<VideoRef, VideoFiles>(
  (p) => sql`
  select v.team_id, v.project_id, v.id as video_id, v.clip_key, v.poster_key, array(
           select r.key
             from ${video_parts} r
            where r.team_id = v.team_id and r.project_id = v.project_id and r.video_id = v.id
         ) as parts
    from ${videos} v
   where v.team_id = ${p.team_id} and (v.project_id, v.id) > (${p.project_id}, ${p.video_id}) and v.deleted_at is null
   order by v.project_id, v.id
   limit ${sql.raw(String(LISTED))}`,
)

/** Lists the next videos of a team with their files; none after the last one. */
export async function listVideoFiles(tx: Tx, { team_id, project_id, video_id }: VideoRef): Promise<VideoFiles[]> {
  return list(tx, { team_id, project_id, video_id })
}

/** Which of the lost files a video refers to still, and its state. */
interface Losses {
  state: VideoState
  clip: boolean
  poster: boolean
  original: boolean
}

const lockLosses = statement<VideoFiles, Losses>(
  (p) => sql`
  select v.state, coalesce(v.clip_key = ${p.clip_key}::text, false) as clip, coalesce(v.poster_key = ${p.poster_key}::text, false) as poster,
         exists (
           select
             from ${video_parts} r
            where r.team_id = v.team_id and r.project_id = v.project_id and r.video_id = v.id and r.key = any (${p.parts}::text[])
         ) as original
    from ${videos} v
   where ${isVideo(p)} and v.deleted_at is null
     for no key update`,
)

const forgetOriginal = statement<VideoRef, never>(
  (p) => sql`
  update ${videos} v
     set original_until = null, updated_at = now()
   where ${isVideo(p)}`,
)

const fail = statement<VideoRef, never>(
  (p) => sql`
  update ${videos} v
     set state = 'failed', error_code = ${sql.raw(`'${'transcode_failed' satisfies VideoFailure}'`)},
         error_detail = 'The clip is lost. While the original is kept, a retry makes it again.',
         original_until = case when v.original_until is not null then greatest(v.original_until, now() + ${KEPT_AFTER_FAILURE}) end,
         updated_at = now()
   where ${isVideo(p)}`,
)

const hide = statement<VideoRef, never>(
  (p) => sql`
  update ${submissions}
     set video_is_ready = false, updated_at = now()
   where team_id = ${p.team_id} and project_id = ${p.project_id} and video_id = ${p.video_id} and video_is_ready`,
)

/**
 * Takes note of files that the store has lost. A ready video without its clip fails, and can be tried again while its original is
 * whole; what is left of an original that is not is discarded. Returns whether the video refers to any of the files still.
 */
export function noteLostFiles(tx: Tx, lost: VideoFiles): Promise<boolean> {
  const { team_id, project_id, video_id } = lost
  const ref = { team_id, project_id, video_id }
  return transaction(tx, async (tx) => {
    const [losses] = await lockLosses(tx, lost)
    if (!losses) return false
    const { state, clip, poster, original } = losses
    // Of a video that waits for its transcode, the attempts fail.
    if (original && (state === 'ready' || state === 'failed')) {
      await forgetOriginal(tx, ref)
      await discardParts(tx, ref)
    }
    if (clip) {
      await fail(tx, ref)
      await discardClip(tx, ref)
      await hide(tx, ref)
    }
    return clip || poster || original
  })
}
