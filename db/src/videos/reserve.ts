import { ApiError, type Channel, durations, plans } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { ProjectRef } from '../projects.ts'
import { consumeQuota } from '../quotas.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { insertRecord } from '../sql/records.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { teams } from '../tables/teams.ts'
import { type VideoRow, videos } from '../tables/videos.ts'
import { DRAFT_COLUMNS, type NewDraft } from './draft.ts'
import { auditTarget, type CaptionedVideo } from './videos.ts'

/** What is known of a file before it is uploaded, and what is said beside it. */
export interface Reservation {
  channel: Channel
  file_name: string
  content_type: string
  /** Null when it is not known yet. */
  size_bytes: number | null
  token_hash: Buffer
  draft: NewDraft
}

const findPlan = statement<{ team_id: string }, { plan: keyof typeof plans; upload_until: string }>(
  (p) => sql`
  select plan, now() + interval '${sql.raw(String(durations.videoUploadHours))} hours' as upload_until
    from ${teams}
   where id = ${p.team_id} and deleted_at is null`,
)

const insert = insertRecord<VideoRow>(videos, [
  'team_id',
  'project_id',
  'channel',
  'file_name',
  'content_type',
  'size_bytes',
  'max_bytes',
  'token_hash',
  'upload_until',
  'created_by',
  ...DRAFT_COLUMNS,
])

/** Returns how long and how large a video of a team may be. */
export async function findVideoLimits(tx: Tx, team_id: string): Promise<{ maxSeconds: number; maxBytes: number }> {
  const { plan } = (await findPlan(tx, { team_id }))[0] ?? notFound()
  return plans[plan].video
}

/**
 * Reserves the upload of a video, and charges the quota. With an actor the audit log records it. Throws `body_too_large` for more than
 * the plan allows, and `quota_exceeded`.
 */
export function reserveVideo(
  tx: Tx,
  { team_id, project_id }: ProjectRef,
  { size_bytes, draft, ...file }: Reservation,
  actor?: Actor,
): Promise<CaptionedVideo> {
  return transaction(tx, async (tx) => {
    const { plan, upload_until } = (await findPlan(tx, { team_id }))[0] ?? notFound()
    const { maxBytes } = plans[plan].video
    if (size_bytes !== null && size_bytes > maxBytes)
      throw new ApiError('body_too_large', { limit_bytes: maxBytes, detail: `The plan allows videos of at most ${maxBytes} bytes.` })
    const row = onlyOne(
      await insert(tx, {
        ...file,
        ...draft,
        ...{ team_id, project_id, size_bytes, upload_until, max_bytes: maxBytes, created_by: actor?.userId ?? null },
      }),
    )
    if (actor) await recordAudit(tx, actor, { ...auditTarget(row), action: 'video.reserved' })
    await consumeQuota(tx, team_id, 'video_uploads')
    return { ...row, captions: [] }
  })
}
