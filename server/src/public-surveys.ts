import { contracts } from '@earshot/contracts'
import { findSurvey, receiveResponse, toTimestamp } from '@earshot/db'
import { makeFormToken, requireFormToken } from './auth/form-token.ts'
import { makeId } from './auth/token-values.ts'
import { implement } from './http/implement.ts'
import { translateSurvey } from './survey-texts.ts'

export const publicSurveys = implement(contracts.public.surveys, {
  retrieve: async ({ ctx, input }) => {
    const { team_id, project_id } = ctx.project
    const { id, status, version, is_past, ...survey } = await findSurvey(ctx.tx, { team_id, project_id, survey_id: input.survey_id })
    return {
      id,
      status: status === 'active' && !is_past ? ('active' as const) : ('closed' as const),
      version,
      ...translateSurvey(survey, input.language),
      form_token: makeFormToken(ctx.services.secretBox, Date.now()),
    }
  },
})

export const publicResponses = implement(contracts.public.responses, {
  create: async ({ ctx, input }) => {
    const { survey_id, form_token, website, ...given } = input
    if (form_token) requireFormToken(ctx.services.secretBox, form_token, Date.now())
    // The response for a bot that filled in the trap field: it looks like a success, but nothing is stored.
    if (website) return { id: makeId(), created_at: new Date().toISOString() }
    const fingerprint = ctx.services.secretBox.mac('visitor-answers', JSON.stringify([ctx.ip, survey_id, given]))
    const response = { survey_id, given: { ...given, channel: 'public' as const }, fingerprint }
    const received = await ctx.deferredAccess.authorizeWith((publicAccess) => receiveResponse(ctx.tx, { publicAccess, ...response }))
    if ('error' in received) throw received.error
    const { id, created_at } = received.receipt
    return { id, created_at: toTimestamp(created_at) }
  },
})
