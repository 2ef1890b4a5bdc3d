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
        id: z.string().meta({ description: 'The client_id that the application goes by.', example: 'earshot-cli' }),
        name: z.string().meta({ description: 'Name of the application.', example: 'Earshot command line' }),
      })
      .meta({ id: 'OAuthClient', description: 'An application that the operator registered.' }),
    scopes: z.array(Scope).meta({ description: 'What you allowed it.' }),
    last_used_at: timestamp('Last use, to the minute; null if never.').nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Authorization', description: 'An application that you allowed to act for you.' })

export const authorizations = {
  list: operation({
    method: 'GET',
    path: `${ME}/authorizations/`,
    summary: 'List the applications that you allowed',
    description: 'Each time you allow an application it stands here once more: on each of your devices, say.',
    scope: 'read:profile',
    input: Page,
    output: listOf('Authorization', Authorization),
  }),
  delete: operation({
    method: 'DELETE',
    path: `${ME}/authorizations/{authorization_id}/`,
    summary: 'Withdraw what you allowed an application',
    description: 'All its tokens stop working with the next request.',
    scope: 'write:profile',
    input: z.strictObject({ authorization_id: Id.meta({ description: 'What you allowed.' }) }),
    output: NoContent,
  }),
}
