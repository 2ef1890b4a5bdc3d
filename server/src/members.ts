import { contracts } from '@earshot/contracts'
import { listMembers, type MemberRow, removeMember, toTimestamp, transferOwnership, updateMember } from '@earshot/db'
import { implement } from './http/implement.ts'

export const members = implement(contracts.members, {
  list: ({ ctx, input }) => listMembers(ctx.tx, input, presentMember),
  update: async ({ ctx, input }) => presentMember(await updateMember(ctx.tx, ctx.actor, input)),
  delete: ({ ctx, input }) => removeMember(ctx.tx, ctx.actor, input),
  transferOwnership: async ({ ctx, input }) => presentMember(await transferOwnership(ctx.tx, ctx.actor, input)),
})

function presentMember({ id, name, email, avatar_url, role, joined_at }: MemberRow) {
  return { user: { id, name, email, avatar_url }, role, joined_at: toTimestamp(joined_at) }
}
