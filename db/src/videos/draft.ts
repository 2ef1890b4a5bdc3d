import { ApiError, type VideoDraftInput } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { updateRecord } from '../sql/records.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { createSubmission } from '../submissions/create.ts'
import { mergedMetadata } from '../submissions/merge-patch.ts'
import { type VideoRow, videos } from '../tables/videos.ts'
import { isVideo, type VideoRef } from './ref.ts'
import { type CaptionedVideo, findVideo, lockVideo } from './videos.ts'

export const DRAFT_COLUMNS = [
  'title',
  'body',
  'rating',
  'author_name',
  'author_email',
  'author_title',
  'author_company',
  'author_website_url',
  'consent_granted',
  'consent_text',
  'consent_granted_at',
  'language',
  'metadata',
] as const
/** Columns of a draft; absent ones stay as they are. */
export type DraftFields = { [Name in (typeof DRAFT_COLUMNS)[number]]?: VideoRow[Name] | undefined }

/** Columns of a new draft. */
export type NewDraft = Partial<Pick<VideoRow, (typeof DRAFT_COLUMNS)[number]>>

const DEFAULTS = { body: '', consent_granted: false, metadata: {} }

/** Returns the columns that the fields of a draft set. */
export function draftFields({ author = {}, consent, ...fields }: VideoDraftInput): DraftFields {
  return {
    ...fields,
    author_name: author.name,
    author_email: author.email,
    author_title: author.title,
    author_company: author.company,
    author_website_url: author.website_url,
    ...(consent && { consent_granted: consent.granted, consent_granted_at: consent.granted ? new Date().toISOString() : null }),
    ...(consent?.text !== undefined && { consent_text: consent.text }),
  }
}

/** Returns the columns of a new draft. */
export function newDraft(fields: VideoDraftInput): NewDraft {
  const given = Object.entries(draftFields(fields)).filter(([, value]) => value !== undefined)
  return { ...DEFAULTS, ...Object.fromEntries(given) }
}

const update = updateRecord<VideoRef, VideoRow>(
  videos,
  DRAFT_COLUMNS,
  (p) => sql`r.team_id = ${p.team_id} and r.project_id = ${p.project_id} and r.id = ${p.video_id}`,
)

/** Changes a draft that was not submitted. Throws `not_found`, `state_conflict`, and `validation_error` for metadata that grew too large. */
export function updateDraft(tx: Tx, ref: VideoRef, { metadata, ...fields }: DraftFields): Promise<CaptionedVideo> {
  return transaction(tx, async (tx) => {
    const before = await lockVideo(tx, ref)
    if (before.submitted_at !== null)
      throw new ApiError('state_conflict', { current_state: 'submitted', detail: 'The draft was submitted.' })
    const merged = metadata && { metadata: mergedMetadata(before.metadata, metadata) }
    const after = onlyOne(await update(tx, ref, { ...fields, ...merged }))
    return { ...after, captions: before.captions }
  })
}

const noteSubmission = statement<VideoRef & { submission_id: string }, never>(
  (p) => sql`
  update ${videos} v
     set submission_id = ${p.submission_id}, submitted_at = now(), updated_at = now()
   where ${isVideo(p)}`,
)

/** A video whose draft was submitted; `is_new` unless that was before. */
export type SubmittedVideo = CaptionedVideo & { is_new: boolean }

/**
 * Creates the pending submission of a video and charges the quota, once: a draft that was submitted is returned as it is. Throws
 * `state_conflict` without the author's name and for an upload that has expired, and `quota_exceeded`.
 */
export function submitDraft(
  tx: Tx,
  ref: VideoRef,
  { revokeTokenHash, actor }: { revokeTokenHash?: Buffer; actor?: Actor } = {},
): Promise<SubmittedVideo> {
  return transaction(tx, async (tx) => {
    const video = await lockVideo(tx, ref)
    if (video.submitted_at !== null) return { ...video, is_new: false }
    if (video.state === 'expired') throw new ApiError('state_conflict', { current_state: 'expired' })
    const fields = { ...submissionOf(video), ...(revokeTokenHash && { revoke_token_hash: revokeTokenHash }) }
    const { id } = await createSubmission(tx, video, fields, actor)
    await noteSubmission(tx, { ...ref, submission_id: id })
    return { ...(await findVideo(tx, ref)), is_new: true }
  })
}

function submissionOf(video: VideoRow) {
  const { author_name } = video
  if (author_name === null)
    throw new ApiError('state_conflict', {
      current_state: 'incomplete',
      detail: 'The draft lacks the name of the author.',
      errors: [{ field: 'author.name', code: 'required', detail: 'is missing in the draft' }],
    })
  const { title, body, rating, author_email, author_title, author_company, author_website_url, language, metadata } = video
  const { channel, consent_granted, consent_text, consent_granted_at, id: video_id } = video
  return {
    ...{ kind: 'video' as const, channel, title, body, rating, language, metadata },
    ...{ author_name, author_email, author_title, author_company, author_website_url },
    ...{ consent_granted, consent_text, consent_granted_at },
    ...{ video_id, video_is_ready: video.state === 'ready' },
  }
}
