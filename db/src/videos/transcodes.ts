import { durations, type Plan, type VideoFailure } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { emitEvent } from '../emit-event.ts'
import { isProjectThere } from '../projects.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { submissions } from '../tables/submissions.ts'
import { teams } from '../tables/teams.ts'
import { unused_blobs } from '../tables/unused-blobs.ts'
import { transcode_turns, type VideoRow, videos } from '../tables/videos.ts'
import { isVideo, type VideoRef } from './ref.ts'
import { findVideo, presentVideo } from './videos.ts'

/** Without a sign of life for so long, a worker has lost its transcode to the next one. */
const LEASE = sql.raw(`interval '30 seconds'`)
/** Attempts that fail for our reasons: workers that die, disks that are full. */
const MAX_ATTEMPTS = 3
// After a failure a video waits for a while, so that what is wrong with us can pass.
export const isWaitingVideo = sql.raw(
  `v.state = 'uploaded' and v.deleted_at is null and (v.leased_until is null or v.leased_until <= now())`,
)
/** How long the original of a failed video is kept, so that it can be tried again. */
export const KEPT_AFTER_FAILURE = sql.raw(`interval '${durations.failedVideoDays} days'`)

/** A video that a worker transcodes. The number of the attempt is the fence: a later attempt refuses its results. */
export interface Transcode extends VideoRef {
  attempt: number
  size_bytes: number
  plan: Plan
}

// The oldest of each team, by an index; then the team that was served longest ago. One that another worker claims is skipped. The nested
// loop keeps the order of the turns, and stops at the first video: an order of its own would lock one of each team.
const claim = statement<Record<never, never>, Transcode>(sql`
  with recursive waiting as (
    (
      select v.team_id
        from ${videos} v
       where v.state = 'uploaded' and v.deleted_at is null
       order by v.team_id
       limit 1
    )
    union all
    select (
             select v.team_id
               from ${videos} v
              where v.state = 'uploaded' and v.deleted_at is null and v.team_id > w.team_id
              order by v.team_id
              limit 1
           )
      from waiting w
     where w.team_id is not null
  ),
  turn as (
    select w.team_id
      from waiting w
      left join ${transcode_turns} t on t.team_id = w.team_id
     where w.team_id is not null
     order by t.served_at nulls first, w.team_id
  ),
  chosen as (
    select v.team_id, v.project_id, v.id
      from turn t
     cross join lateral (
             select v.team_id, v.project_id, v.id
               from ${videos} v
              where v.team_id = t.team_id and ${isWaitingVideo}
              order by v.uploaded_at
              limit 1
                for no key update skip locked
           ) v
     limit 1
  ),
  served as (
    insert into ${transcode_turns} (team_id, served_at)
    select c.team_id, clock_timestamp()
      from chosen c
        on conflict (team_id) do update set served_at = excluded.served_at
  )
  update ${videos} v
     set state = 'transcoding', attempt = v.attempt + 1, leased_until = now() + ${LEASE}, progress = 0,
         error_code = null, error_detail = null, updated_at = now()
    from chosen c
    join ${teams} t on t.id = c.team_id
   where v.team_id = c.team_id and v.project_id = c.project_id and v.id = c.id
  returning v.team_id, v.project_id, v.id as video_id, v.attempt, v.size_bytes, t.plan`)

/** Claims the video whose turn it is; null when none waits. */
export async function claimTranscode(tx: Tx): Promise<Transcode | null> {
  return (await claim(tx, {}))[0] ?? null
}

const findWaiting = statement<Record<never, never>, { id: string }>(sql`
  select v.id
    from ${videos} v
   where ${isWaitingVideo}
   limit 1`)

/** Whether a video waits for its transcode. */
export async function hasWaitingVideos(tx: Tx): Promise<boolean> {
  return (await findWaiting(tx, {})).length > 0
}

type Held = VideoRef & { attempt: number }
const isHeld = (p: Parameters<Held>) =>
  sql`${isVideo(p)} and v.state = 'transcoding' and v.attempt = ${p.attempt}::int and v.deleted_at is null`

const renew = statement<Held & { progress: number }, { id: string }>(
  (p) => sql`
  update ${videos} v
     set leased_until = now() + ${LEASE}, progress = ${p.progress}::real, updated_at = now()
   where ${isHeld(p)}
  returning v.id`,
)

/** Shows progress, from 0 to 1, and that the worker lives. Returns false when the video is another attempt's, or deleted. */
export async function renewTranscode(tx: Tx, { team_id, project_id, video_id, attempt }: Held, progress: number): Promise<boolean> {
  return (await renew(tx, { team_id, project_id, video_id, attempt, progress })).length > 0
}

/** What a transcode made. */
export type TranscodedFiles = Required<{
  [Name in 'clip_key' | 'clip_bytes' | 'poster_key' | 'poster_bytes' | 'duration_ms' | 'width' | 'height']: NonNullable<VideoRow[Name]>
}>

const finish = statement<Held & TranscodedFiles & { keep_days: number }, Pick<VideoRow, 'submission_id'>>(
  (p) => sql`
  update ${videos} v
     set state = 'ready', clip_key = ${p.clip_key}, clip_bytes = ${p.clip_bytes}, poster_key = ${p.poster_key},
         poster_bytes = ${p.poster_bytes}, duration_ms = ${p.duration_ms}, width = ${p.width}, height = ${p.height}, progress = null,
         leased_until = null, original_until = now() + ${p.keep_days}::int * interval '1 day', updated_at = now()
   where ${isHeld(p)}
  returning v.submission_id`,
)

const useBlobs = statement<{ team_id: string; keys: string[] }, { key: string }>(
  (p) => sql`
  delete from ${unused_blobs}
   where team_id = ${p.team_id} and key = any (${p.keys}::text[]) and delete_at > clock_timestamp()
  returning key`,
)

const showVideo = statement<VideoRef & { submission_id: string }, never>(
  (p) => sql`
  update ${submissions}
     set video_is_ready = true, updated_at = now()
   where team_id = ${p.team_id} and project_id = ${p.project_id} and id = ${p.submission_id} and video_id = ${p.video_id}`,
)

const isThere = statement<{ team_id: string; project_id: string }, { there: boolean }>((p) => sql`select ${isProjectThere(p)} as there`)

/**
 * Makes a video ready, with its event. Its files must be announced. Returns false when another attempt holds the video, or when it is
 * deleted; then the files are not used.
 */
export function finishTranscode(tx: Tx, held: Held, files: TranscodedFiles, { keepDays }: { keepDays: number }): Promise<boolean> {
  const { team_id, project_id, video_id, attempt } = held
  const ref = { team_id, project_id, video_id }
  return transaction(tx, async (tx) => {
    const [row] = await finish(tx, { ...ref, attempt, ...files, keep_days: keepDays })
    if (!row) return false
    const used = await useBlobs(tx, { team_id, keys: [files.clip_key, files.poster_key] })
    if (used.length !== 2) throw new Error('The announcement of a transcoded file has expired')
    if (row.submission_id !== null) await showVideo(tx, { ...ref, submission_id: row.submission_id })
    const [project] = await isThere(tx, { team_id, project_id })
    if (project?.there) {
      const video = presentVideo(await findVideo(tx, ref), null)
      await emitEvent(tx, { team_id, project_id, type: 'video.ready', data: { video } })
    }
    return true
  })
}

const fail = statement<Held & { code: VideoFailure; detail: string }, { id: string }>(
  (p) => sql`
  update ${videos} v
     set state = 'failed', error_code = ${p.code}, error_detail = ${p.detail}, progress = null, leased_until = null,
         original_until = now() + ${KEPT_AFTER_FAILURE}, updated_at = now()
   where ${isHeld(p)}
  returning v.id`,
)

/** Ends a transcode because of the file. Returns false when another attempt holds the video. */
export async function failTranscode(tx: Tx, held: Held, error: { code: VideoFailure; detail: string }): Promise<boolean> {
  const { team_id, project_id, video_id, attempt } = held
  return (await fail(tx, { team_id, project_id, video_id, attempt, ...error })).length > 0
}

const isLast = sql.raw(`v.failed_attempts + 1 >= ${MAX_ATTEMPTS}`)

/** The last attempt that fails ends the video: what is wrong with us then is for the operator to see, in the log. */
const countFailure = sql`
         state = case when ${isLast} then 'failed' else 'uploaded' end, failed_attempts = v.failed_attempts + 1,
         error_code = case when ${isLast} then ${sql.raw(`'${'transcode_failed' satisfies VideoFailure}'`)} end,
         error_detail = case when ${isLast} then 'The transcode failed several times. Retry it later.' end,
         original_until = case when ${isLast} then now() + ${KEPT_AFTER_FAILURE} end, progress = null, updated_at = now()`

const handBackFailed = statement<Held & { retry_ms: number }, never>(
  (p) => sql`
  update ${videos} v
     set ${countFailure},
         leased_until = case when not ${isLast} then now() + (v.failed_attempts + 1) * ${p.retry_ms}::int * interval '1 millisecond' end
   where ${isHeld(p)}`,
)

const handBack = statement<Held, never>(
  (p) => sql`
  update ${videos} v
     set state = 'uploaded', progress = null, leased_until = null, updated_at = now()
   where ${isHeld(p)}`,
)

/**
 * Hands back a video that this worker could not transcode: another attempt follows, unless it was the last one. After a failure that
 * is ours it waits: for `retryMs` after the first one, longer after each.
 */
export async function handBackTranscode(
  tx: Tx,
  { team_id, project_id, video_id, attempt }: Held,
  { isFailure, retryMs }: { isFailure: boolean; retryMs: number },
): Promise<void> {
  const held = { team_id, project_id, video_id, attempt }
  if (isFailure) await handBackFailed(tx, { ...held, retry_ms: retryMs })
  else await handBack(tx, held)
}

const isExpired = sql`v.state = 'transcoding' and v.leased_until < now() and v.deleted_at is null`

const listExpired = statement<Record<never, never>, { id: string }>(sql`
  select v.id
    from ${videos} v
   where ${isExpired}
   order by v.leased_until
   limit 1000`)

/** Lists videos whose lease is over. Their workers can be alive, and renew it. */
export async function listExpiredTranscodes(tx: Tx): Promise<string[]> {
  return (await listExpired(tx, {})).map(({ id }) => id)
}

const sweep = statement<{ ids: string[] }, { id: string }>(
  (p) => sql`
  update ${videos} v
     set ${countFailure}, leased_until = null
   where ${isExpired} and v.id = any (${p.ids}::uuid[])
  returning v.id`,
)

/** Hands back those of the videos whose lease is still over, as failures: the video may be why their workers died. Returns how many. */
export async function sweepTranscodes(tx: Tx, videoIds: string[]): Promise<number> {
  return (await sweep(tx, { ids: videoIds })).length
}

const mark = statement<{ detail: string }, never>(
  (p) => sql`
  update ${videos} v
     set error_code = ${sql.raw(`'${'no_transcoder' satisfies VideoFailure}'`)}, error_detail = ${p.detail}, updated_at = now()
   where v.state = 'uploaded' and v.deleted_at is null and v.error_code is null and v.uploaded_at < now() - interval '1 minute'
     and not exists (select from ${videos} t where t.state = 'transcoding' and t.leased_until >= now())`,
)

/** Says of videos that wait for long that nobody has a transcoder, unless another worker transcodes one now. Who has one still takes them. */
export async function noteNoTranscoder(tx: Tx, detail: string): Promise<void> {
  await mark(tx, { detail })
}
