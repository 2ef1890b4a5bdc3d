import { contracts } from '@earshot/contracts'
import {
  completeVideo,
  createCaption,
  deleteCaption,
  deleteVideo,
  draftFields,
  findVideo,
  listVideos,
  newDraft,
  presentCaption,
  presentDraft,
  reserveVideo,
  retryVideo,
  submitDraft,
  updateDraft,
} from '@earshot/db'
import { hashToken, makeUploadToken } from '../auth/token-values.ts'
import { implement } from '../http/implement.ts'
import { channelOf } from '../submissions/channel.ts'
import { canonicalLanguage, languageName } from './language.ts'
import { linksOf, presentVideoTo } from './present.ts'
import { presentUpload, UPLOADS } from './uploads.ts'

export const videos = implement(contracts.videos, {
  list: ({ ctx, input }) => listVideos(ctx.tx, input, (row) => presentVideoTo(ctx, row)),
  retrieve: async ({ ctx, input }) => presentVideoTo(ctx, await findVideo(ctx.tx, input)),
  reserve: async ({ ctx, input }) => {
    const { team_id, project_id, draft = {}, ...file } = input
    const token = makeUploadToken()
    const reservation = { ...file, channel: channelOf(ctx), token_hash: hashToken(token), draft: newDraft(draft) }
    const row = await reserveVideo(ctx.tx, { team_id, project_id }, reservation, ctx.actor)
    return { video: presentVideoTo(ctx, row), upload: presentUpload(row, ctx.services.baseUrl + UPLOADS, token) }
  },
  complete: async ({ ctx, input }) => presentVideoTo(ctx, await completeVideo(ctx.tx, input)),
  retry: async ({ ctx, input }) => presentVideoTo(ctx, await retryVideo(ctx.tx, ctx.actor, input)),
  delete: ({ ctx, input }) => deleteVideo(ctx.tx, ctx.actor, input),
  draft: {
    retrieve: async ({ ctx, input }) => presentDraft(await findVideo(ctx.tx, input)),
    update: async ({ ctx, input }) => {
      const { team_id, project_id, video_id, ...fields } = input
      return presentDraft(await updateDraft(ctx.tx, { team_id, project_id, video_id }, draftFields(fields)))
    },
    submit: async ({ ctx, input }) => presentDraft(await submitDraft(ctx.tx, input, { actor: ctx.actor })),
  },
  captions: {
    create: async ({ ctx, input }) => {
      const { team_id, project_id, video_id, vtt } = input
      const language = canonicalLanguage(input.language)
      const label = input.label ?? languageName(language)
      const ref = { team_id, project_id, video_id }
      const { caption, video } = await createCaption(ctx.tx, ctx.actor, ref, { language, label, vtt })
      return presentCaption(caption, video.state === 'ready' ? linksOf(ctx, video) : null)
    },
    delete: ({ ctx, input }) => deleteCaption(ctx.tx, ctx.actor, input),
  },
})
