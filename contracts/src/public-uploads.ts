import { z } from 'zod'
import { operation } from './operation.ts'
import { PUBLIC, PUBLIC_PROJECT, PublicKeyRef } from './paths.ts'
import { Id, text, timestamp } from './schemas/primitives.ts'
import { VideoDraftInput, VideoState } from './schemas/video.ts'
import { reservation, UPLOAD_TOKEN_HEADER, VideoUpload } from './videos.ts'

const UPLOAD = `${PUBLIC}/uploads/{video_id}` as const
const UploadRef = z.strictObject({
  video_id: Id.meta({ description: 'The video.' }),
  upload_token: text(128, 1).meta({ description: 'The `upload.token` of the reservation.', example: 'upl_5cYb0sQ4kXoZ' }),
})
/** A visitor of these operations has the token of the upload instead of a public key. */
const withToken = { access: 'public', headers: { upload_token: UPLOAD_TOKEN_HEADER } } as const

/** What a visitor sees of their own upload: nothing that they have not sent. */
const PublicUpload = z
  .object({
    id: Id,
    state: VideoState,
    offset_bytes: z.int().meta({ description: 'Number of bytes received.' }),
    submission: z
      .object({
        id: Id,
        state: z.literal('pending').meta({ description: 'State at the submission: always pending.' }),
        created_at: timestamp('Time of submission.'),
        revoke_token: z.string().nullable().meta({ description: 'Token for withdrawing consent later. It is shown only once.' }),
      })
      .meta({ id: 'VideoReceipt', description: 'Confirmation of a submission with a video.' })
      .nullable()
      .meta({ description: 'Confirmation of the submission, once the draft was submitted.' }),
  })
  .meta({ id: 'PublicUpload', description: 'An upload, for the visitor who makes it.' })

/** Uploads of visitors, on the public plane. */
export const publicUploads = {
  reserve: operation({
    method: 'POST',
    path: `${PUBLIC_PROJECT}/uploads/`,
    access: 'public',
    limit: 'public_upload',
    status: 201,
    quota: 'video_uploads',
    summary: 'Reserve the upload of a video',
    errors: ['body_too_large'],
    input: PublicKeyRef.extend(reservation),
    output: z
      .object({ upload: VideoUpload, ...PublicUpload.shape })
      .meta({ id: 'ReservedUpload', description: 'Where to upload the file.' }),
  }),
  complete: operation({
    method: 'POST',
    path: `${UPLOAD}/complete/`,
    ...withToken,
    limit: 'public_upload',
    summary: 'Complete the upload of a video',
    errors: ['not_authenticated', 'not_found', 'state_conflict'],
    input: UploadRef,
    output: PublicUpload,
  }),
}

/** Drafts of visitors, on the public plane. */
export const publicDrafts = {
  update: operation({
    method: 'PATCH',
    path: `${UPLOAD}/draft/`,
    ...withToken,
    summary: 'Change what is said beside a video',
    errors: ['not_authenticated', 'not_found', 'state_conflict'],
    input: UploadRef.extend(VideoDraftInput.shape),
    output: PublicUpload,
  }),
  submit: operation({
    method: 'POST',
    path: `${UPLOAD}/draft/submit/`,
    ...withToken,
    quota: 'submissions',
    summary: 'Submit a video with what is said beside it',
    errors: ['not_authenticated', 'not_found', 'state_conflict'],
    input: UploadRef,
    output: PublicUpload,
  }),
}
