import { z } from 'zod'
import { durations } from './durations.ts'
import { operation } from './operation.ts'
import { TEAM, TeamRef } from './paths.ts'
import { Id, listOf, ownNames, strangersWords, TimedPage, text, timestamp } from './schemas/primitives.ts'
import { TeamUser } from './schemas/profile.ts'

const AuditEntry = z
  .object({
    id: Id,
    actor: TeamUser.nullable().meta({
      description:
        "The person who made the change, with their current profile; null for a deleted account and for the service itself. Changes by the operator on behalf of a user count as the user's.",
    }),
    credential: z
      .object({
        id: Id.nullable(),
        kind: z.string().meta({ description: 'pat, oauth2, jwt, session or operator; system for changes by the service.', example: 'pat' }),
      })
      .meta({ id: 'AuditCredential', description: 'A credential, as it was when it was used.' })
      .nullable()
      .meta({ description: 'The credential that was used.' }),
    action: z.string().meta({ description: 'The action.', example: 'submission.approved' }),
    target: z
      .object({ type: z.string().meta({ description: 'Type of the resource.', example: 'submission' }), id: Id.nullable() })
      .meta({ id: 'AuditTarget', description: 'The changed resource.' }),
    project_id: Id.nullable().meta({ description: 'The project, if the change was in a project.' }),
    changes: z
      .record(z.string(), z.unknown())
      .meta({
        description: 'Each changed field with `from` and `to`. Never contains secrets.',
        example: { state: { from: 'pending', to: 'approved' } },
      })
      .register(strangersWords)
      // A field, then `from` and `to`.
      .register(ownNames, { levels: 2 }),
    ip: z.string().nullable().meta({ description: 'IP address of the request.', example: '203.0.113.7' }),
    at: timestamp('Time of the change.'),
  })
  .meta({ id: 'AuditEntry', description: 'A change in a team.' })

export const auditLog = {
  list: operation({
    method: 'GET',
    path: `${TEAM}/audit-log/`,
    summary: 'List the audit log',
    description: `Lists every change to the team, its members and their tokens, its projects, public keys and webhooks, and the state of submissions. Entries are kept for ${durations.auditLogDays} days.`,
    scope: 'read:teams',
    role: 'admin',
    feature: 'audit_log',
    input: TeamRef.extend({
      ...TimedPage.shape,
      action: text(100).optional().meta({ description: 'Only entries with this action.', example: 'submission.approved' }),
    }),
    output: listOf('AuditEntry', AuditEntry),
  }),
}
