import { ApiError, sizes } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { insertRecord } from '../sql/records.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { project_counters } from '../tables/projects.ts'
import { submissions } from '../tables/submissions.ts'
import { type CaptionRow, video_captions, videos } from '../tables/videos.ts'
import { isVideo, type VideoRef } from './ref.ts'
import { auditTarget, type CaptionedVideo, lockVideo } from './videos.ts'

const insert = insertRecord<CaptionRow>(video_captions, ['team_id', 'project_id', 'video_id', 'language', 'label', 'vtt'])

const remove = statement<VideoRef & { caption_id: string }, { id: string }>(
  (p) => sql`
  delete from ${video_captions}
   where team_id = ${p.team_id} and project_id = ${p.project_id} and video_id = ${p.video_id} and id = ${p.caption_id}
  returning id`,
)

// Of a widget that shows the video: its version tells whether it is unchanged.
const noteChange = statement<VideoRef, never>(
  (p) => sql`
  update ${project_counters} j
     set version = j.version + 1
    from ${videos} v
    join ${submissions} s on s.team_id = v.team_id and s.project_id = v.project_id and s.id = v.submission_id and s.is_public
   where ${isVideo(p)} and j.team_id = v.team_id and j.project_id = v.project_id`,
)

/**
 * Adds captions to a video. Throws `not_found`, `already_exists` for a language that has captions, and `validation_error` for one more
 * than a video can have.
 */
export function createCaption(
  tx: Tx,
  actor: Actor,
  { team_id, project_id, video_id }: VideoRef,
  fields: Pick<CaptionRow, 'language' | 'label' | 'vtt'>,
): Promise<{ caption: CaptionRow; video: CaptionedVideo }> {
  return transaction(tx, async (tx) => {
    const video = await lockVideo(tx, { team_id, project_id, video_id })
    if (video.captions.length >= sizes.captionsPerVideo) throw tooMany()
    const caption = onlyOne(await insert(tx, { ...fields, team_id, project_id, video_id }))
    const changes = { captions: { from: null, to: caption.language } }
    await recordAudit(tx, actor, { ...auditTarget(video), action: 'video.captions_added', changes })
    await noteChange(tx, { team_id, project_id, video_id })
    return { caption, video }
  })
}

/** Deletes captions. Throws `not_found`. */
export function deleteCaption(tx: Tx, actor: Actor, { caption_id, ...ref }: VideoRef & { caption_id: string }): Promise<void> {
  return transaction(tx, async (tx) => {
    const { team_id, project_id, video_id } = ref
    const video = await lockVideo(tx, ref)
    const { id } = (await remove(tx, { ...ref, caption_id }))[0] ?? notFound()
    const language = video.captions.find((caption) => caption.id === id)?.language ?? null
    await recordAudit(tx, actor, {
      ...auditTarget(video),
      action: 'video.captions_deleted',
      changes: { captions: { from: language, to: null } },
    })
    await noteChange(tx, { team_id, project_id, video_id })
  })
}

function tooMany(): ApiError {
  const detail = `a video has at most ${sizes.captionsPerVideo} captions`
  return new ApiError('validation_error', { errors: [{ field: 'language', code: 'too_big', detail }] })
}
