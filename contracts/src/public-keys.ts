import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { PROJECT, ProjectRef } from './paths.ts'
import { CreatedAt, Id, listOf, Page, text, timestamp, UpdatedAt } from './schemas/primitives.ts'

export const PublicKey = z
  .object({
    id: Id,
    project_id: Id.meta({ description: 'The project that it identifies.' }),
    key: z.string().meta({ description: 'The key itself: identifies, never authorizes.', example: 'pk_3vQw8sYkT2mLr9XbN4cJdH7f' }),
    label: z.string().nullable().meta({ description: 'What you called it.', example: 'Website footer' }),
    revoked_at: timestamp('When it stopped working; null while it works.').nullable(),
    last_used_at: timestamp('Last use, to the minute; null if never.').nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'PublicKey', description: 'Identifies a project on the public plane.' })

export const publicKeys = {
  list: operation({
    method: 'GET',
    path: `${PROJECT}/public-keys/`,
    summary: 'List the public keys of a project',
    description: 'Those that work; a deleted key is gone from the list.',
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
      label: text(200).nullable().optional().meta({ description: 'What to call it.', example: 'Website footer' }),
    }),
    output: PublicKey,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${PROJECT}/public-keys/{public_key_id}/`,
    summary: 'Delete a public key',
    description: 'Pages that use it stop working with the next request.',
    scope: 'write:projects',
    role: 'admin',
    input: ProjectRef.extend({ public_key_id: Id.meta({ description: 'The public key.' }) }),
    output: NoContent,
  }),
}
