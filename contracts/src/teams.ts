import { z } from 'zod'
import { auditLog } from './audit-log.ts'
import { durations } from './durations.ts'
import { NoContent, operation } from './operation.ts'
import { TEAM, TEAMS, TeamRef } from './paths.ts'
import { Plan, quotaNames } from './plans.ts'
import { Role } from './roles.ts'
import { CreatedAt, HttpOrigin, Id, Language, listOf, Name, Page, Slug, TimeZone, timestamp, UpdatedAt } from './schemas/primitives.ts'

const threshold = z.int().min(0).max(10)
const RETENTION = `Days for which payloads of events are kept, and what webhook endpoints answered to them. Events and deliveries stay for ${durations.eventDays} days, without.`

const TeamSettings = z
  .object({
    nps_low_score_threshold: z.int().meta({ description: 'An NPS score below this sends nps.low_score.', example: 7 }),
    cors_origins: z.array(z.string()).meta({ description: 'Origins whose pages may call the API with credentials of the team.' }),
    locale: z.string().meta({ description: 'BCP 47 language tag for e-mails and pages.', example: 'en' }),
    timezone: z.string().meta({ description: 'IANA time zone in which the days of figures begin.', example: 'Europe/Berlin' }),
    payload_retention_days: z.int().meta({ description: RETENTION, example: durations.eventDays }),
  })
  .meta({ id: 'TeamSettings', description: 'Settings of a team.' })

const TeamSettingsChange = z
  .strictObject({
    nps_low_score_threshold: threshold.optional().meta({ description: 'An NPS score below this sends nps.low_score.' }),
    cors_origins: z.array(HttpOrigin).max(50).optional().meta({ description: 'Replaces the whole list.' }),
    locale: Language.optional(),
    timezone: TimeZone.optional().meta({
      description: 'IANA time zone in which the days of figures begin, UTC at first. A change is for records that arrive from now on.',
    }),
    payload_retention_days: z
      .int()
      .min(1)
      .max(durations.eventDays)
      .optional()
      .meta({
        description: `${RETENTION} ${durations.eventDays} at first. A lower number removes what is older within ten minutes; a higher one brings nothing back.`,
      }),
  })
  .meta({ id: 'TeamSettingsChange', description: 'Settings to change. Omitted settings stay unchanged.' })

export const Team = z
  .object({
    id: Id,
    name: z.string().meta({ description: 'Name of the team.', example: 'Acme' }),
    slug: z.string().meta({ description: 'Short unique name.', example: 'acme' }),
    plan: Plan,
    role: Role,
    settings: TeamSettings,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Team', description: 'A team, as you see it.' })

const Usage = z
  .object({
    plan: Plan,
    quotas: z.array(
      z
        .object({
          quota: z.enum(quotaNames).meta({ id: 'QuotaName', description: 'Name of the quota.', example: 'submissions' }),
          used: z.int().meta({ description: 'Number used.', example: 17 }),
          limit: z.int().meta({ description: 'Number that the plan includes.', example: 5000 }),
          resets_at: timestamp('Time when a monthly quota resets; null for other quotas.').nullable(),
        })
        .meta({ id: 'QuotaUsage', description: 'Usage of one quota.' }),
    ),
  })
  .meta({ id: 'Usage', description: 'Usage of the quotas of a team.' })

const writable = {
  name: Name.meta({ description: 'Name of the team.', example: 'Acme' }),
  slug: Slug.optional().meta({ description: 'Short unique name. By default, made from the name.' }),
  settings: TeamSettingsChange.optional(),
}

export const teams = {
  list: operation({
    method: 'GET',
    path: `${TEAMS}/`,
    summary: 'List your teams',
    scope: 'read:teams',
    input: Page,
    output: listOf('Team', Team),
  }),
  create: operation({
    method: 'POST',
    path: `${TEAMS}/`,
    status: 201,
    summary: 'Create a team',
    description: 'Creates a team with you as its owner. The operator limits how many teams a user can create (default 20).',
    scope: 'write:teams',
    errors: ['already_exists', 'quota_exceeded'],
    input: z.strictObject(writable),
    output: Team,
  }),
  retrieve: operation({
    method: 'GET',
    path: `${TEAM}/`,
    summary: 'Retrieve a team',
    scope: 'read:teams',
    role: 'viewer',
    input: TeamRef,
    output: Team,
  }),
  update: operation({
    method: 'PATCH',
    path: `${TEAM}/`,
    summary: 'Update a team',
    description: 'JSON Merge Patch (RFC 7396): omitted fields stay unchanged.',
    scope: 'write:teams',
    role: 'admin',
    errors: ['already_exists'],
    input: TeamRef.extend({ ...writable, name: writable.name.optional() }),
    output: Team,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${TEAM}/`,
    summary: 'Delete a team and everything in it',
    scope: 'write:teams',
    role: 'owner',
    input: TeamRef,
    output: NoContent,
  }),
  usage: operation({
    method: 'GET',
    path: `${TEAM}/usage/`,
    summary: 'Retrieve the usage of a team',
    description: 'Monthly quotas reset with the calendar month in UTC. Other quotas count what exists now.',
    scope: 'read:teams',
    role: 'viewer',
    input: TeamRef,
    output: Usage,
  }),
  auditLog,
}
