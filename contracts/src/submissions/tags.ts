import { z } from 'zod'
import { NoContent, operation } from '../operation.ts'
import { PROJECT, ProjectRef } from '../paths.ts'
import { listOf, Page, Tag } from '../schemas/primitives.ts'

const TagRef = ProjectRef.extend({ tag: Tag.meta({ description: 'The tag.' }) })

const TagCount = z
  .object({
    tag: z.string().meta({ description: 'The tag.', example: 'onboarding' }),
    count: z.int().meta({ description: 'Number of submissions with this tag, without deleted ones.', example: 12 }),
  })
  .meta({ id: 'TagCount', description: 'A tag of a project, and how often it is used.' })

/** How many submissions a request changes by itself. */
const AT_ONCE = 1_000
const THE_REST = `Up to ${AT_ONCE} submissions change at once; if there are more, the rest follows within seconds.`

export const tags = {
  list: operation({
    method: 'GET',
    path: `${PROJECT}/tags/`,
    summary: 'List the tags of a project',
    description: 'With the number of submissions, exact at the moment of the request. A tag that no submission has is not listed.',
    scope: 'read:submissions',
    role: 'viewer',
    input: ProjectRef.extend(Page.shape),
    output: listOf('TagCount', TagCount, { order: 'in the order of their tags' }),
  }),
  update: operation({
    method: 'PATCH',
    path: `${PROJECT}/tags/{tag}/`,
    summary: 'Rename a tag, or merge it into another',
    description: `Where a submission has both tags, one is left. Widgets that filter by the tag follow. ${THE_REST}`,
    scope: 'write:submissions',
    role: 'member',
    input: TagRef.extend({
      name: Tag.meta({ description: 'The new name. If it is a tag already, the two become one.', example: 'setup' }),
    }),
    output: TagCount,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${PROJECT}/tags/{tag}/`,
    summary: 'Remove a tag from all submissions',
    description: `Widgets no longer filter by it. ${THE_REST}`,
    scope: 'write:submissions',
    role: 'member',
    input: TagRef,
    output: NoContent,
  }),
}
