import { contracts } from '@earshot/contracts'
import { listMembers, presentMember, removeMember, transferOwnership, updateMember } from '@earshot/db'
import { implement } from './http/implement.ts'

export const members = implement(contracts.members, {
  list: ({ ctx, input }) => listMembers(ctx.tx, input, presentMember),
  update: async ({ ctx, input }) => presentMember(await updateMember(ctx.tx, ctx.actor, input)),
  delete: ({ ctx, input }) => removeMember(ctx.tx, ctx.actor, input),
  transferOwnership: async ({ ctx, input }) => presentMember(await transferOwnership(ctx.tx, ctx.actor, input)),
})
