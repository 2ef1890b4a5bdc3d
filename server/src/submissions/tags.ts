import { contracts } from '@earshot/contracts'
import { deleteTag, listTags, renameTag } from '@earshot/db'
import { implement } from '../http/implement.ts'

export const tags = implement(contracts.tags, {
  list: ({ ctx, input }) => listTags(ctx.tx, input),
  update: ({ ctx, input }) => {
    const { name, ...ref } = input
    return renameTag(ctx.tx, ctx.actor, ref, name)
  },
  delete: ({ ctx, input }) => deleteTag(ctx.tx, ctx.actor, input),
})
