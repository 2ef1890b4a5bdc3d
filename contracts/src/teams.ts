import { z } from 'zod'
import { auditLog } from './audit-log.ts'
import { NoContent, operation } from './operation.ts'
import { TEAM, TEAMS, TeamRef } from './paths.ts'
import { Plan, quotaNames } from './plans.ts'
import { Role } from './roles.ts'
import { CreatedAt, HttpOrigin, Id, Language, listOf, Name, Page, Slug, timestamp, UpdatedAt } from './schemas/primitives.ts'

const threshold = z.int().min(0).max(10)

const TeamSettings = z
  .object({
    nps_low_score_threshold: z.int().meta({ description: 'An NPS answer below it fires nps.low_score.', example: 7 }),
    cors_origins: z.array(z.string()).meta({ description: "Origins whose pages may call the API with the team's credentials." }),
    locale: z.string().meta({ description: 'BCP 47 language tag for mails and pages.', example: 'en' }),
  })
  .meta({ id: 'TeamSettings', description: 'Settings of a team.' })

const TeamSettingsChange = z
  .strictObject({
    nps_low_score_threshold: threshold.optional().meta({ description: 'An NPS answer below it fires nps.low_score.' }),
    cors_origins: z.array(HttpOrigin).max(50).optional().meta({ description: 'Replaces the whole list.' }),
    locale: Language.optional(),
  })
  .meta({ id: 'TeamSettingsChange', description: 'The settings to change; the others stay.' })

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
  .meta({ id: 'Team', description: 'A team, as one of its members sees it.' })

const Usage = z
  .object({
    plan: Plan,
    quotas: z.array(
      z
        .object({
          quota: z.enum(quotaNames).meta({ description: 'What is counted.', example: 'submissions' }),
          used: z.int().meta({ description: 'How many are used.', example: 17 }),
          limit: z.int().meta({ description: 'How many the plan includes.', example: 5000 }),
          resets_at: timestamp('When a monthly quota begins anew; null for what counts what exists.').nullable(),
        })
        .meta({ id: 'QuotaUsage', description: 'Where a team stands in one quota.' }),
    ),
  })
  .meta({ id: 'Usage', description: "What a team uses of its plan's quotas." })

const writable = {
  name: Name.meta({ description: 'Name of the team.', example: 'Acme' }),
  slug: Slug.optional().meta({ description: 'Short unique name; made from the name when absent.' }),
  settings: TeamSettingsChange.optional(),
}

export const teams = {
  list: operation({
    method: 'GET',
    path: `${TEAMS}/`,
    summary: 'List the teams that you belong to',
    scope: 'read:teams',
    input: Page,
    output: listOf('Team', Team),
  }),
  create: operation({
    method: 'POST',
    path: `${TEAMS}/`,
    status: 201,
    summary: 'Create a team',
    description: 'You become its owner. A user makes at most as many teams as the operator allows (20 unless configured).',
    scope: 'write:teams',
    errors: ['already_exists', 'quota_exceeded'],
    input: z.strictObject(writable),
    output: Team,
  }),
  retrieve: operation({
    method: 'GET',
    path: `${TEAM}/`,
    summary: 'Show a team',
    scope: 'read:teams',
    role: 'viewer',
    input: TeamRef,
    output: Team,
  }),
  update: operation({
    method: 'PATCH',
    path: `${TEAM}/`,
    summary: 'Change a team',
    description: 'JSON Merge Patch (RFC 7396): fields that are absent stay.',
    scope: 'write:teams',
    role: 'admin',
    errors: ['already_exists'],
    input: TeamRef.extend({ ...writable, name: writable.name.optional() }),
    output: Team,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${TEAM}/`,
    summary: 'Delete a team and all that is in it',
    scope: 'write:teams',
    role: 'owner',
    input: TeamRef,
    output: NoContent,
  }),
  usage: operation({
    method: 'GET',
    path: `${TEAM}/usage/`,
    summary: 'Show what a team uses of its plan',
    description: 'Monthly quotas roll with the calendar month in UTC; the others count what is there now.',
    scope: 'read:teams',
    role: 'viewer',
    input: TeamRef,
    output: Usage,
  }),
  auditLog,
}
