import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { ME } from './paths.ts'
import { CreatedAt, Id, listOf, Page, timestamp, UpdatedAt } from './schemas/primitives.ts'
import { Scope } from './scopes.ts'

const Authorization = z
  .object({
    id: Id,
    client: z
      .object({
        id: z.string().meta({ description: 'The client_id of the application.', example: 'earshot-cli' }),
        name: z.string().meta({ description: 'Name of the application.', example: 'Earshot command line' }),
      })
      .meta({ id: 'OAuthClient', description: 'An application registered by the operator.' }),
    scopes: z.array(Scope).meta({ description: 'Scopes that you granted.' }),
    last_used_at: timestamp('Time of last use, to the minute; null if never used.').nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Authorization', description: 'An application that you authorized to act for you.' })

export const authorizations = {
  list: operation({
    method: 'GET',
    path: `${ME}/authorizations/`,
    summary: 'List your authorized applications',
    description: 'An application appears once for each time you authorized it, for example once per device.',
    scope: 'read:profile',
    input: Page,
    output: listOf('Authorization', Authorization),
  }),
  delete: operation({
    method: 'DELETE',
    path: `${ME}/authorizations/{authorization_id}/`,
    summary: 'Revoke an authorization',
    description: 'Revokes all tokens of the application at once.',
    scope: 'write:profile',
    input: z.strictObject({ authorization_id: Id.meta({ description: 'The authorization.' }) }),
    output: NoContent,
  }),
}
