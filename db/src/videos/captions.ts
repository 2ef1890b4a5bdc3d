import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { insertRecord } from '../sql/records.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { type CaptionRow, video_captions } from '../tables/videos.ts'
import type { VideoRef } from './lease.ts'
import { auditTarget, lockVideo } from './videos.ts'

const insert = insertRecord<CaptionRow>(video_captions, ['team_id', 'project_id', 'video_id', 'language', 'label', 'vtt'])

const remove = statement<VideoRef & { caption_id: string }, { id: string }>(
  (p) => sql`
  delete from ${video_captions}
   where team_id = ${p.team_id} and project_id = ${p.project_id} and video_id = ${p.video_id} and id = ${p.caption_id}
  returning id`,
)

/** Adds captions to a video. Throws `not_found`, and `already_exists` for a language that has captions. */
export function createCaption(
  tx: Tx,
  actor: Actor,
  { team_id, project_id, video_id }: VideoRef,
  fields: Pick<CaptionRow, 'language' | 'label' | 'vtt'>,
): Promise<CaptionRow> {
  return transaction(tx, async (tx) => {
    const video = await lockVideo(tx, { team_id, project_id, video_id })
    const caption = onlyOne(await insert(tx, { ...fields, team_id, project_id, video_id }))
    const changes = { captions: { from: null, to: caption.language } }
    await recordAudit(tx, actor, { ...auditTarget(video), action: 'video.captions_added', changes })
    return caption
  })
}

/** Deletes captions. Throws `not_found`. */
export function deleteCaption(tx: Tx, actor: Actor, { caption_id, ...ref }: VideoRef & { caption_id: string }): Promise<void> {
  return transaction(tx, async (tx) => {
    const video = await lockVideo(tx, ref)
    const { id } = (await remove(tx, { ...ref, caption_id }))[0] ?? notFound()
    const language = video.captions.find((caption) => caption.id === id)?.language ?? null
    await recordAudit(tx, actor, {
      ...auditTarget(video),
      action: 'video.captions_deleted',
      changes: { captions: { from: language, to: null } },
    })
  })
}
