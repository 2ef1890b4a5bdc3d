import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { ME } from './paths.ts'
import { CreatedAt, Id, listOf, Page, timestamp, UpdatedAt } from './schemas/primitives.ts'

const Session = z
  .object({
    id: Id,
    kind: z.enum(['session', 'jwt']).meta({ id: 'SessionKind', description: 'A session in a browser, or a password login (JWT).' }),
    is_current: z.boolean().meta({ description: 'Whether this request uses it.' }),
    ip: z.string().nullable().meta({ description: 'IP address at sign-in.', example: '203.0.113.7' }),
    user_agent: z.string().nullable().meta({ description: 'User agent at sign-in.' }),
    expires_at: timestamp('Time of expiry, unless it is used before.'),
    last_used_at: timestamp('Time of last use, to the minute; null if never used.').nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Session', description: 'A place where you are signed in.' })

export const sessions = {
  list: operation({
    method: 'GET',
    path: `${ME}/sessions/`,
    summary: 'List your sessions',
    description: 'Lists your sessions in browsers and your password logins (JWT).',
    scope: 'read:profile',
    input: Page,
    output: listOf('Session', Session),
  }),
  delete: operation({
    method: 'DELETE',
    path: `${ME}/sessions/{session_id}/`,
    summary: 'End a session',
    description: 'Signs out the browser or program that uses it, at once.',
    scope: 'write:profile',
    input: z.strictObject({ session_id: Id.meta({ description: 'The session.' }) }),
    output: NoContent,
  }),
}
