import { contracts } from '@earshot/contracts'
import {
  type AuditRow,
  createTeam,
  deleteTeam,
  findTeam,
  listAuditEntries,
  listTeams,
  readUsage,
  type TeamFields,
  type TeamRow,
  toTimestamp,
  updateTeam,
} from '@earshot/db'
import { implement } from './http/implement.ts'

export const teams = implement(contracts.teams, {
  list: ({ ctx, input }) => listTeams(ctx.tx, ctx.actor.userId, input, presentTeam),
  create: async ({ ctx, input }) => {
    const limits = { plan: ctx.services.defaultPlan, maxTeams: ctx.services.maxTeamsPerUser }
    return presentTeam(await createTeam(ctx.tx, ctx.actor, { ...fieldsOf(input), name: input.name }, limits))
  },
  retrieve: async ({ ctx }) => presentTeam(await findTeam(ctx.tx, ctx.actor.userId, ctx.team.id)),
  update: async ({ ctx, input }) => presentTeam(await updateTeam(ctx.tx, ctx.actor, ctx.team.id, fieldsOf(input))),
  delete: ({ ctx }) => deleteTeam(ctx.tx, ctx.actor, ctx.team.id),
  usage: ({ ctx }) => readUsage(ctx.tx, ctx.team.id),
  auditLog: { list: ({ ctx, input }) => listAuditEntries(ctx.tx, input, presentAuditEntry) },
})

interface TeamInput {
  name?: string | undefined
  slug?: string | undefined
  settings?:
    | {
        nps_low_score_threshold?: number | undefined
        cors_origins?: string[] | undefined
        locale?: string | undefined
        timezone?: string | undefined
        payload_retention_days?: number | undefined
      }
    | undefined
}

/** Returns the columns of the given fields. Absent ones stay unchanged. */
function fieldsOf({ name, slug, settings = {} }: TeamInput): TeamFields {
  const { nps_low_score_threshold, cors_origins, locale, timezone, payload_retention_days } = settings
  return {
    ...(name !== undefined && { name }),
    ...(slug !== undefined && { slug }),
    ...(nps_low_score_threshold !== undefined && { nps_low_score_threshold }),
    ...(cors_origins !== undefined && { cors_origins }),
    ...(locale !== undefined && { locale }),
    ...(timezone !== undefined && { timezone }),
    ...(payload_retention_days !== undefined && { payload_retention_days }),
  }
}

function presentAuditEntry(row: AuditRow) {
  return {
    id: row.id,
    actor: row.actor,
    credential: row.credential_kind === null ? null : { id: row.credential_id, kind: row.credential_kind },
    action: row.action,
    target: { type: row.target_type, id: row.target_id },
    project_id: row.project_id,
    changes: row.changes,
    ip: row.ip,
    at: toTimestamp(row.created_at),
  }
}

function presentTeam(row: TeamRow) {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    plan: row.plan,
    role: row.role,
    settings: {
      nps_low_score_threshold: row.nps_low_score_threshold,
      cors_origins: row.cors_origins,
      locale: row.locale,
      timezone: row.timezone,
      payload_retention_days: row.payload_retention_days,
    },
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
