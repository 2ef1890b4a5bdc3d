import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { ME } from './paths.ts'
import { CreatedAt, Id, listOf, Page, timestamp, UpdatedAt } from './schemas/primitives.ts'

const Session = z
  .object({
    id: Id,
    kind: z.enum(['session', 'jwt']).meta({ description: 'A session of the pages, or a log-in by password that goes on by JWT.' }),
    is_current: z.boolean().meta({ description: 'Whether this request was made with it.' }),
    ip: z.string().nullable().meta({ description: 'Address from which it began.', example: '203.0.113.7' }),
    user_agent: z.string().nullable().meta({ description: 'What the program called itself when it began.' }),
    expires_at: timestamp('When it ends, unless it is used before.'),
    last_used_at: timestamp('Last use, to the minute; null if never.').nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Session', description: 'Where you are signed in.' })

export const sessions = {
  list: operation({
    method: 'GET',
    path: `${ME}/sessions/`,
    summary: 'List where you are signed in',
    description: 'Sessions of the pages, and log-ins by password of first-party front ends (JWT).',
    scope: 'read:profile',
    input: Page,
    output: listOf('Session', Session),
  }),
  delete: operation({
    method: 'DELETE',
    path: `${ME}/sessions/{session_id}/`,
    summary: 'Sign out elsewhere',
    description: 'It stops working with the next request.',
    scope: 'write:profile',
    input: z.strictObject({ session_id: Id.meta({ description: 'The session.' }) }),
    output: NoContent,
  }),
}
