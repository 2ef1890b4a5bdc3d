import { z } from 'zod'
import { sizes } from '../limits.ts'
import {
  ContactEmail,
  CreatedAt,
  EmailInput,
  HttpUrl,
  Id,
  Language,
  Metadata,
  Name,
  Rating,
  strangersWords,
  Title,
  text,
  timestamp,
  UpdatedAt,
} from './primitives.ts'
import { Consent } from './submission.ts'

export const VideoState = z
  .enum(['reserved', 'uploading', 'uploaded', 'transcoding', 'ready', 'failed', 'expired'])
  .meta({ id: 'VideoState', description: 'State of the video. A ready video can be watched, but is not public.' })
export type VideoState = z.infer<typeof VideoState>

/**
 * Why a video is not ready. `no_transcoder`: it has not failed, and waits for a worker that can transcode. `transcode_failed`: try it
 * again. The others are the fault of the file.
 */
const videoFailures = [
  'no_transcoder',
  'unsupported_media',
  'no_video_track',
  'too_long',
  'corrupt',
  'timeout',
  'transcode_failed',
] as const
export type VideoFailure = (typeof videoFailures)[number]

export const Caption = z
  .object({
    id: Id,
    language: z.string().meta({ description: 'BCP 47 language tag.', example: 'en' }),
    label: z.string().meta({ description: 'Name for people.', example: 'English' }),
    url: z
      .string()
      .nullable()
      .meta({ description: 'Signed address of the WebVTT file, valid for an hour; null until the video is ready, and in events.' }),
  })
  .meta({ id: 'Caption', description: 'Captions of a video.' })

/** What is said beside a video. Once submitted it stays as it was: later changes are in the submission. */
export const VideoDraft = z
  .object({
    title: z.string().nullable().meta({ description: 'Headline.' }).register(strangersWords),
    body: z.string().meta({ description: 'Words beside the video.' }).register(strangersWords),
    rating: z.int().nullable().meta({ description: 'Stars, 1 to 5.' }),
    author: z
      .object({
        name: z
          .string()
          .nullable()
          .meta({ description: 'Name of the person. The draft cannot be submitted without it.' })
          .register(strangersWords),
        email: ContactEmail,
        title: z.string().nullable().meta({ description: 'Job title of the person.' }).register(strangersWords),
        company: z.string().nullable().meta({ description: 'Company of the person.' }).register(strangersWords),
        website_url: z.string().nullable().meta({ description: 'Website of the person.' }),
      })
      .meta({ id: 'VideoAuthor', description: 'The author of the video.' }),
    consent: Consent.omit({ revoked_at: true }).meta({ id: 'VideoConsent', description: "The person's consent, as submitted." }),
    language: z.string().nullable().meta({ description: 'BCP 47 language tag.' }),
    metadata: z.record(z.string(), z.unknown()).meta({ description: 'Your own JSON object.' }).register(strangersWords),
    submission_id: Id.nullable().meta({ description: 'The submission, once the draft was submitted.' }),
    submitted_at: timestamp('Time of submission.').nullable(),
  })
  .meta({ id: 'VideoDraft', description: 'What is said beside a video, as its author submits it. Later changes are in the submission.' })

/** The fields of a draft that can be set. Those that are absent stay. */
export const VideoDraftInput = z
  .strictObject({
    title: Title.nullable().optional().meta({ description: 'Headline.' }),
    body: text(sizes.bodyCharacters).optional().meta({ description: 'Words beside the video.' }),
    rating: Rating.nullable().optional(),
    author: z
      .strictObject({
        name: Name.optional().meta({ description: 'Name of the person.', example: 'Ada Lovelace' }),
        email: EmailInput.nullable().optional(),
        title: text(200).nullable().optional().meta({ description: 'Job title of the person.', example: 'CTO' }),
        company: text(200).nullable().optional().meta({ description: 'Company of the person.', example: 'Analytical Engines' }),
        website_url: HttpUrl.nullable().optional().meta({ description: 'Website of the person.' }),
      })
      .optional()
      .meta({ id: 'VideoAuthorInput', description: 'The author of the video.' }),
    consent: z
      .strictObject({
        granted: z.boolean().meta({ description: 'Whether the person consents to publication.' }),
        text: text(2_000)
          .nullable()
          .optional()
          .meta({ description: 'Text that the person consented to.', example: 'You may publish this.' }),
      })
      .optional()
      .meta({ id: 'VideoConsentInput', description: "The person's consent to publication." }),
    language: Language.nullable().optional(),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'VideoDraftInput', description: 'What is said beside a video.' })
export type VideoDraftInput = z.output<typeof VideoDraftInput>

export const Video = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns the record.' }),
    project_id: Id.meta({ description: 'The project of the record.' }),
    state: VideoState,
    file_name: z.string().meta({ description: 'Name of the uploaded file.' }).register(strangersWords),
    content_type: z.string().meta({ description: 'Media type of the uploaded file, as announced.', example: 'video/webm' }),
    size_bytes: z.int().nullable().meta({ description: 'Size of the file; null while it is not known.' }),
    offset_bytes: z.int().meta({ description: 'Number of bytes received.' }),
    progress: z.number().nullable().meta({ description: 'Share of the transcode that is done, 0 to 1; null while none runs.' }),
    duration_ms: z.int().nullable().meta({ description: 'Duration.' }),
    width: z.int().nullable().meta({ description: 'Width in pixels.' }),
    height: z.int().nullable().meta({ description: 'Height in pixels.' }),
    playback_url: z
      .string()
      .nullable()
      .meta({ description: 'Signed address of the video, valid for an hour; null until it is ready, and in events.' }),
    poster_url: z
      .string()
      .nullable()
      .meta({ description: 'Signed address of a still image, valid for an hour; null until it is ready, and in events.' }),
    captions: z.array(Caption).meta({ description: 'Captions, by language.' }),
    error: z
      .object({
        code: z.enum(videoFailures).meta({ id: 'VideoFailure', description: 'Code of the error.' }),
        detail: z.string().meta({ description: 'Explanation for people.' }),
      })
      .meta({ id: 'VideoError', description: 'Why there is no clip.' })
      .nullable()
      .meta({ description: 'Why the transcode failed, or has not started; null while there is no problem.' }),
    draft: VideoDraft,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Video', description: 'A video of a visitor.' })
export type Video = z.output<typeof Video>
