import { contracts } from '@earshot/contracts'
import { createResponse, deleteResponse, findResponse, listResponses, presentResponse } from '@earshot/db'
import { implement } from './http/implement.ts'
import { channelOf } from './submissions/channel.ts'

export const responses = implement(contracts.responses, {
  list: ({ ctx, input }) => listResponses(ctx.tx, input, { searchEmail: ctx.seesContacts }, presentResponse),
  create: async ({ ctx, input }) => {
    const { team_id, project_id, survey_id, ...given } = input
    return presentResponse(
      await createResponse(ctx.tx, { team_id, project_id, survey_id }, { ...given, channel: channelOf(ctx) }, { actor: ctx.actor }),
    )
  },
  retrieve: async ({ ctx, input }) => presentResponse(await findResponse(ctx.tx, input)),
  delete: ({ ctx, input }) => deleteResponse(ctx.tx, ctx.actor, input),
})
