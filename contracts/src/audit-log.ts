import { z } from 'zod'
import { operation } from './operation.ts'
import { TEAM, TeamRef } from './paths.ts'
import { Id, listOf, TimedPage, text, timestamp } from './schemas/primitives.ts'
import { TeamUser } from './schemas/profile.ts'

const AuditEntry = z
  .object({
    id: Id,
    actor: TeamUser.nullable().meta({
      description:
        'Who did it, as the person is now; null for an account that is gone, and for the service itself. What the operator does for somebody is theirs.',
    }),
    credential: z
      .object({
        id: Id.nullable(),
        kind: z
          .string()
          .meta({ description: 'pat, oauth2, jwt, session or operator; system for what the service did by itself.', example: 'pat' }),
      })
      .nullable()
      .meta({ description: 'With which credential.' }),
    action: z.string().meta({ description: 'What was done.', example: 'submission.approved' }),
    target: z
      .object({ type: z.string().meta({ description: 'Its kind.', example: 'submission' }), id: Id.nullable() })
      .meta({ description: 'What it was done to.' }),
    project_id: Id.nullable().meta({ description: 'The project, if it happened in one.' }),
    changes: z.record(z.string(), z.unknown()).meta({
      description: 'Each changed field with `from` and `to`; never a secret.',
      example: { state: { from: 'pending', to: 'approved' } },
    }),
    ip: z.string().nullable().meta({ description: 'From which address.', example: '203.0.113.7' }),
    at: timestamp('When it was done.'),
  })
  .meta({ id: 'AuditEntry', description: 'One change that a person or a credential made.' })

export const auditLog = {
  list: operation({
    method: 'GET',
    path: `${TEAM}/audit-log/`,
    summary: 'List who changed what',
    description:
      'Every change to the team, its people and their tokens, its projects, keys and webhooks, and to the states of submissions; kept a year.',
    scope: 'read:teams',
    role: 'admin',
    feature: 'audit_log',
    input: TeamRef.extend({
      ...TimedPage.shape,
      action: text(100).optional().meta({ description: 'Only this action.', example: 'submission.approved' }),
    }),
    output: listOf('AuditEntry', AuditEntry),
  }),
}
