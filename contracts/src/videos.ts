import { z } from 'zod'
import { durations } from './durations.ts'
import { sizes } from './limits.ts'
import { NoContent, operation } from './operation.ts'
import { PROJECT, ProjectRef } from './paths.ts'
import { Id, Language, listOf, TimedPage, text, timestamp } from './schemas/primitives.ts'
import { fitsAsUtf8 } from './schemas/stored-json.ts'
import { Caption, Video, VideoDraft, VideoDraftInput, VideoState } from './schemas/video.ts'

const VIDEO = `${PROJECT}/videos/{video_id}` as const
const VideoRef = ProjectRef.extend({ video_id: Id.meta({ description: 'The video.' }) })
const read = { scope: 'read:videos', role: 'viewer' } as const
const write = { scope: 'write:videos', role: 'member' } as const

/** Header of the token that authorizes an upload. */
export const UPLOAD_TOKEN_HEADER = 'X-Upload-Token'

/** What is declared of a file when its upload is reserved. */
export const reservation = {
  file_name: text(sizes.fileNameCharacters, 1).meta({ description: 'Name of the file.', example: 'clip.webm' }),
  content_type: text(100, 1).meta({ description: 'Media type of the file. What counts is what is in it.', example: 'video/webm' }),
  size_bytes: z
    .int()
    .min(1)
    .nullable()
    .meta({ description: 'Size of the file; null if it is not known yet, as while it is recorded.', example: 1_048_576 }),
  draft: VideoDraftInput.optional().meta({ description: 'What is said beside the video. It can be changed until it is submitted.' }),
}

export const VideoUpload = z
  .object({
    url: z.string().meta({ description: 'Address for the upload of the file by tus 1.0 (https://tus.io): PATCH, HEAD and DELETE.' }),
    token: z.string().meta({ description: 'Send it as `X-Upload-Token` with each request to this address. It is shown only once.' }),
    expires_at: timestamp('Time until which the file can be uploaded.'),
    max_bytes: z.int().meta({ description: 'Largest size of the file.' }),
  })
  .meta({ id: 'VideoUpload', description: 'Where to upload the file.' })

const ReservedVideo = z
  .object({ video: Video, upload: VideoUpload })
  .meta({ id: 'ReservedVideo', description: 'A video that waits for its file, and where to upload it.' })

const draft = {
  retrieve: operation({
    ...read,
    method: 'GET',
    path: `${VIDEO}/draft/`,
    summary: 'Retrieve the draft of a video',
    input: VideoRef,
    output: VideoDraft,
  }),
  update: operation({
    ...write,
    method: 'PATCH',
    path: `${VIDEO}/draft/`,
    summary: 'Change the draft of a video',
    description: 'Fields that are absent stay. A draft that was submitted cannot be changed.',
    errors: ['state_conflict'],
    input: VideoRef.extend(VideoDraftInput.shape),
    output: VideoDraft,
  }),
  submit: operation({
    ...write,
    method: 'POST',
    path: `${VIDEO}/draft/submit/`,
    quota: 'submissions',
    summary: 'Submit the draft of a video',
    errors: ['state_conflict'],
    description:
      'Creates a pending submission of kind `video`, before or after the upload is complete. The draft needs `author.name`. Submitting again returns the same response and changes nothing.',
    input: VideoRef,
    output: VideoDraft,
  }),
}

/** WebVTT begins with its name (§4.1), after a byte order mark if it has one. */
const WEBVTT = { pattern: /^\uFEFF?WEBVTT(?:[ \t\r\n][^\0]*)?$/, problem: 'must be WebVTT: begin with "WEBVTT"' }

const captions = {
  create: operation({
    ...write,
    method: 'POST',
    path: `${VIDEO}/captions/`,
    status: 201,
    bodyBytes: sizes.captionBodyBytes,
    summary: 'Add captions to a video',
    description: `One file for each language, at most ${sizes.captionsPerVideo} of a video. They are public when the video is.`,
    errors: ['already_exists'],
    input: VideoRef.extend({
      language: Language.meta({ description: 'BCP 47 language tag; stored in its canonical form.' }),
      label: text(100, 1).optional().meta({ description: 'Name for people; that of the language unless given.', example: 'English' }),
      vtt: text(sizes.captionBytes, 1, WEBVTT)
        .refine((vtt) => fitsAsUtf8(vtt, sizes.captionBytes), `must be at most ${sizes.captionBytes} bytes of UTF-8`)
        .meta({
          description: `The captions as WebVTT, at most ${sizes.captionBytes} bytes of UTF-8.`,
          example: 'WEBVTT\n\n00:00.000 --> 00:02.000\nSaved us a week.\n',
        }),
    }),
    output: Caption,
  }),
  delete: operation({
    ...write,
    method: 'DELETE',
    path: `${VIDEO}/captions/{caption_id}/`,
    summary: 'Delete captions of a video',
    input: VideoRef.extend({ caption_id: Id.meta({ description: 'The captions.' }) }),
    output: NoContent,
  }),
}

export const videos = {
  list: operation({
    ...read,
    method: 'GET',
    path: `${PROJECT}/videos/`,
    summary: 'List the videos of a project',
    input: ProjectRef.extend({ ...TimedPage.shape, state: VideoState.optional() }),
    output: listOf('Video', Video),
  }),
  retrieve: operation({
    ...read,
    method: 'GET',
    path: `${VIDEO}/`,
    summary: 'Retrieve a video',
    input: VideoRef,
    output: Video,
  }),
  reserve: operation({
    ...write,
    method: 'POST',
    path: `${PROJECT}/videos/`,
    status: 201,
    quota: 'video_uploads',
    hints: { showsSecret: true },
    summary: 'Reserve the upload of a video',
    description: `Upload the file to \`upload.url\` by tus, then complete the video. A reservation ends after ${durations.videoUploadHours} hours.`,
    errors: ['body_too_large'],
    input: ProjectRef.extend(reservation),
    output: ReservedVideo,
  }),
  complete: operation({
    ...write,
    method: 'POST',
    path: `${VIDEO}/complete/`,
    summary: 'Complete the upload of a video',
    description:
      'The transcode starts. Completing again returns the current state. While bytes are missing it is refused with `offset_bytes`, the number that have arrived.',
    errors: ['state_conflict'],
    input: VideoRef,
    output: Video,
  }),
  retry: operation({
    ...write,
    method: 'POST',
    path: `${VIDEO}/retry/`,
    summary: 'Transcode a video again',
    description: 'For a video that failed, while its original is kept.',
    errors: ['state_conflict'],
    input: VideoRef,
    output: Video,
  }),
  delete: operation({
    ...write,
    method: 'DELETE',
    path: `${VIDEO}/`,
    summary: 'Delete a video',
    description: 'With its files. Its submission stays, without the video.',
    input: VideoRef,
    output: NoContent,
  }),
  draft,
  captions,
}
