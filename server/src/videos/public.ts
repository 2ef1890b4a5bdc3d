import { contracts } from '@earshot/contracts'
import { type CaptionedVideo, completeVideo, draftFields, newDraft, reserveVideo, submitDraft, toTimestamp, updateDraft } from '@earshot/db'
import { hashToken, makeRevokeToken, makeUploadToken } from '../auth/token-values.ts'
import { implement } from '../http/implement.ts'
import { PUBLIC_UPLOADS, presentUpload } from './uploads.ts'

export const publicUploads = implement(contracts.public.uploads, {
  reserve: async ({ ctx, input }) => {
    const { public_key, draft = {}, ...file } = input
    const token = makeUploadToken()
    const reservation = { ...file, channel: 'public' as const, token_hash: hashToken(token), draft: newDraft(draft) }
    const row = await reserveVideo(ctx.tx, projectOf(ctx.project), reservation)
    return { ...present(row), upload: presentUpload(row, ctx.services.baseUrl + PUBLIC_UPLOADS, token) }
  },
  complete: async ({ ctx, input }) => present(await completeVideo(ctx.tx, { ...projectOf(ctx.project), video_id: input.video_id })),
})

export const publicDrafts = implement(contracts.public.drafts, {
  update: async ({ ctx, input }) => {
    const { video_id, upload_token, ...fields } = input
    return present(await updateDraft(ctx.tx, { ...projectOf(ctx.project), video_id }, draftFields(fields)))
  },
  submit: async ({ ctx, input }) => {
    const revoke_token = makeRevokeToken()
    const ref = { ...projectOf(ctx.project), video_id: input.video_id }
    const { is_new, ...row } = await submitDraft(ctx.tx, ref, { revokeTokenHash: hashToken(revoke_token) })
    return present(row, is_new ? revoke_token : null)
  },
})

function projectOf({ team_id, project_id }: { team_id: string; project_id: string }) {
  return { team_id, project_id }
}

function present({ id, state, offset_bytes, submission_id, submitted_at }: CaptionedVideo, revoke_token: string | null = null) {
  const submission =
    submission_id === null || submitted_at === null
      ? null
      : { id: submission_id, state: 'pending' as const, created_at: toTimestamp(submitted_at), revoke_token }
  return { id, state, offset_bytes, submission }
}
