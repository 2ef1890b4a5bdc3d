import { contracts, Plan } from '@earshot/contracts'
import { createTeam, deleteTeam, findTeam, listTeams, type TeamFields, type TeamRow, toTimestamp, updateTeam } from '@earshot/db'
import { implement } from './implement.ts'

export const teams = implement(contracts.teams, {
  list: ({ ctx, input }) => listTeams(ctx.tx, ctx.actor.userId, input, presentTeam),
  create: async ({ ctx, input }) => {
    const limits = { plan: ctx.services.defaultPlan, maxTeams: ctx.services.maxTeamsPerUser }
    return presentTeam(await createTeam(ctx.tx, ctx.actor, { ...fieldsOf(input), name: input.name }, limits))
  },
  retrieve: async ({ ctx }) => presentTeam(await findTeam(ctx.tx, ctx.actor.userId, ctx.team.id)),
  update: async ({ ctx, input }) => presentTeam(await updateTeam(ctx.tx, ctx.actor, ctx.team.id, fieldsOf(input))),
  delete: ({ ctx }) => deleteTeam(ctx.tx, ctx.actor, ctx.team.id),
})

interface TeamInput {
  name?: string | undefined
  slug?: string | undefined
  settings?: { nps_low_score_threshold?: number | undefined; cors_origins?: string[] | undefined; locale?: string | undefined } | undefined
}

/** Only what was given: absent columns stay. */
function fieldsOf({ name, slug, settings = {} }: TeamInput): TeamFields {
  const { nps_low_score_threshold, cors_origins, locale } = settings
  return {
    ...(name !== undefined && { name }),
    ...(slug !== undefined && { slug }),
    ...(nps_low_score_threshold !== undefined && { nps_low_score_threshold }),
    ...(cors_origins !== undefined && { cors_origins }),
    ...(locale !== undefined && { locale }),
  }
}

function presentTeam(row: TeamRow) {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    plan: Plan.parse(row.plan),
    role: row.role,
    settings: { nps_low_score_threshold: row.nps_low_score_threshold, cors_origins: row.cors_origins, locale: row.locale },
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
