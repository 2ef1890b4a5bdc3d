import type { Video, VideoState } from '@earshot/contracts'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import type { ProjectRef } from '../projects.ts'
import { columnsOf } from '../sql/columns.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds, pageOf } from '../sql/pages.ts'
import { notFound } from '../sql/rows.ts'
import { type Parameters, statement, statementsByKey } from '../sql/statement.ts'
import { toTimestamp } from '../sql/timestamps.ts'
import { type VideoRow, videos } from '../tables/videos.ts'
import { type CaptionSummary, captionsOf } from './public.ts'
import { isVideo, type VideoRef } from './ref.ts'

/** A video with its captions, by language. */
export type CaptionedVideo = VideoRow & { captions: CaptionSummary[] }

/** The columns of a video of this alias, and its captions as JSON. */
export function captionedColumns(of: string): SQL {
  return sql`${columnsOf(videos, of)}, ${captionsOf(of)} as captions`
}

const CAPTIONED = captionedColumns('v')

const isThere = (p: Parameters<VideoRef>) => sql`${isVideo(p)} and v.deleted_at is null`

const find = statement<VideoRef, CaptionedVideo>(
  (p) => sql`
  select ${CAPTIONED}
    from ${videos} v
   where ${isThere(p)}`,
)

const lock = statement<VideoRef, CaptionedVideo>(
  (p) => sql`
  select ${CAPTIONED}
    from ${videos} v
   where ${isThere(p)}
     for no key update of v`,
)

const list = statementsByKey<ProjectRef & PageBounds & { state: VideoState | undefined }, CaptionedVideo>(
  (key, p) => sql`
  select ${CAPTIONED}
    from ${videos} v
   where v.team_id = ${p.team_id} and v.project_id = ${p.project_id} and v.deleted_at is null
     and v.id < ${p.before} and v.id >= ${p.after}${key === 'state' ? sql` and v.state = ${p.state}` : sql``}
   order by v.id desc
   limit ${p.take}`,
)

/** Lists the videos of a project, newest first. */
export async function listVideos<Item>(
  tx: Tx,
  { team_id, project_id, state, ...query }: PageQuery & ProjectRef & { state?: VideoState | undefined },
  present: (row: CaptionedVideo) => Item,
): Promise<Page<Item>> {
  const rows = await list(state === undefined ? '' : 'state')(tx, { team_id, project_id, state, ...pageBounds(query) })
  return pageOf(rows, query.limit, present)
}

/** Finds a video. Throws `not_found`. */
export async function findVideo(tx: Tx, { team_id, project_id, video_id }: VideoRef): Promise<CaptionedVideo> {
  return (await find(tx, { team_id, project_id, video_id }))[0] ?? notFound()
}

/** Finds a video and locks it until the end of the transaction. Throws `not_found`. */
export async function lockVideo(tx: Tx, { team_id, project_id, video_id }: VideoRef): Promise<CaptionedVideo> {
  return (await lock(tx, { team_id, project_id, video_id }))[0] ?? notFound()
}

/** What an audit entry says of a video. */
export function auditTarget({ team_id, project_id, id }: Pick<VideoRow, 'team_id' | 'project_id' | 'id'>) {
  return { team_id, project_id, target: 'video', target_id: id }
}

/** Addresses of the files of a video, signed for whom it is shown to. */
export interface MediaLinks {
  clip: string
  poster: string
  captions: (caption_id: string) => string
}

/** Presents a video as the API and its event show it. Events have no links: they would expire before they are read. */
export function presentVideo(row: CaptionedVideo, links: MediaLinks | null): Video {
  const isReady = row.state === 'ready'
  return {
    id: row.id,
    team_id: row.team_id,
    project_id: row.project_id,
    state: row.state,
    file_name: row.file_name,
    content_type: row.content_type,
    size_bytes: row.size_bytes,
    offset_bytes: row.offset_bytes,
    progress: row.state === 'transcoding' ? (row.progress ?? 0) : null,
    duration_ms: row.duration_ms,
    width: row.width,
    height: row.height,
    playback_url: (isReady && links?.clip) || null,
    poster_url: (isReady && links?.poster) || null,
    captions: row.captions.map((caption) => presentCaption(caption, isReady ? links : null)),
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    draft: presentDraft(row),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}

/** Presents captions; without a link until their video is ready. */
export function presentCaption({ id, language, label }: CaptionSummary, links: MediaLinks | null): Video['captions'][number] {
  return { id, language, label, url: links?.captions(id) ?? null }
}

/** Presents what is said beside a video. */
export function presentDraft(row: VideoRow): Video['draft'] {
  return {
    title: row.title,
    body: row.body,
    rating: row.rating,
    author: {
      name: row.author_name,
      email: row.author_email,
      title: row.author_title,
      company: row.author_company,
      website_url: row.author_website_url,
    },
    consent: {
      granted: row.consent_granted,
      text: row.consent_text,
      granted_at: toTimestamp(row.consent_granted_at),
    },
    language: row.language,
    metadata: row.metadata,
    submission_id: row.submission_id,
    submitted_at: toTimestamp(row.submitted_at),
  }
}
