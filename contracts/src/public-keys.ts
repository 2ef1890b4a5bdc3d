import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { PROJECT, ProjectRef } from './paths.ts'
import { CreatedAt, Id, listOf, Page, text, timestamp, UpdatedAt } from './schemas/primitives.ts'

export const PublicKey = z
  .object({
    id: Id,
    project_id: Id.meta({ description: 'The project of the key.' }),
    key: z.string().meta({
      description: 'The key. It identifies the project and grants no access to your data.',
      example: 'pk_3vQw8sYkT2mLr9XbN4cJdH7f',
    }),
    label: z.string().nullable().meta({ description: 'Label of the key.', example: 'Website footer' }),
    revoked_at: timestamp('Time of revocation; null while the key works.').nullable(),
    last_used_at: timestamp('Time of last use, to the minute; null if never used.').nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'PublicKey', description: 'A key that identifies a project in public requests.' })

export const publicKeys = {
  list: operation({
    method: 'GET',
    path: `${PROJECT}/public-keys/`,
    summary: 'List the public keys of a project',
    description: 'Lists the keys that work, without deleted keys.',
    scope: 'read:projects',
    role: 'viewer',
    input: ProjectRef.extend(Page.shape),
    output: listOf('PublicKey', PublicKey),
  }),
  create: operation({
    method: 'POST',
    path: `${PROJECT}/public-keys/`,
    status: 201,
    summary: 'Create a public key',
    scope: 'write:projects',
    role: 'admin',
    input: ProjectRef.extend({
      label: text(200).nullable().optional().meta({ description: 'Label of the key.', example: 'Website footer' }),
    }),
    output: PublicKey,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${PROJECT}/public-keys/{public_key_id}/`,
    summary: 'Delete a public key',
    description: 'Pages that use the key stop working at once.',
    scope: 'write:projects',
    role: 'admin',
    input: ProjectRef.extend({ public_key_id: Id.meta({ description: 'The public key.' }) }),
    output: NoContent,
  }),
}
