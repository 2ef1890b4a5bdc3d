import { contracts, type SurveyResponse } from '@earshot/contracts'
import {
  type AskedQuestion,
  createResponse,
  deleteResponse,
  findResponse,
  listAskedQuestions,
  listResponses,
  presentResponse,
} from '@earshot/db'
import { type Column, columnsOf } from './http/columns.ts'
import { EXPORT_PAGE, implement } from './http/implement.ts'
import { channelOf } from './submissions/channel.ts'

export const responses = implement(contracts.responses, {
  list: ({ ctx, input }) => listResponses(ctx.tx, input, { searchEmail: ctx.seesContacts }, presentResponse),
  export: async ({ ctx, input: { format, ...query } }) => {
    const reach = { searchEmail: ctx.seesContacts }
    const page = await listResponses(ctx.tx, { ...query, limit: EXPORT_PAGE }, reach, presentResponse)
    if (format !== 'csv') return page
    const questions = await listAskedQuestions(ctx.tx, query)
    return { ...page, columns: [...otherColumns, ...questions.map(columnOf)] }
  },
  create: async ({ ctx, input }) => {
    const { team_id, project_id, survey_id, ...given } = input
    return presentResponse(
      await createResponse(ctx.tx, { team_id, project_id, survey_id }, { ...given, channel: channelOf(ctx) }, { actor: ctx.actor }),
    )
  },
  retrieve: async ({ ctx, input }) => presentResponse(await findResponse(ctx.tx, input)),
  delete: ({ ctx, input }) => deleteResponse(ctx.tx, ctx.actor, input),
})

const otherColumns: Column<SurveyResponse>[] = columnsOf(contracts.responses.export.output.omit({ answers: true }))

function columnOf({ ref, question_ids }: AskedQuestion): Column<SurveyResponse> {
  return { name: `answers.${ref}`, of: ({ answers }) => answers.find(({ question_id }) => question_ids.includes(question_id))?.value }
}
