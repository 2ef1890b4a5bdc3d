import { contracts } from '@earshot/contracts'
import {
  acceptInvitation,
  createInvitation,
  type InvitationLink,
  listInvitations,
  presentInvitation,
  resendInvitation,
  revokeInvitation,
} from '@earshot/db'
import { sealMailSecret } from '@earshot/drivers'
import { scaled } from './auth/rate-limit.ts'
import { hashToken, makeInvitationToken } from './auth/token-values.ts'
import { implement } from './http/implement.ts'
import type { HandlerServices } from './services.ts'

export const invitations = implement(contracts.invitations, {
  list: ({ ctx, input }) => listInvitations(ctx.tx, input, presentInvitation),
  create: async ({ ctx, input }) => presentInvitation(await createInvitation(ctx.tx, ctx.actor, input, makeInvitationLink(ctx.services))),
  delete: ({ ctx, input }) => revokeInvitation(ctx.tx, ctx.actor, input),
  resend: async ({ ctx, input }) => presentInvitation(await resendInvitation(ctx.tx, ctx.actor, input, makeInvitationLink(ctx.services))),
  accept: ({ ctx, input }) => acceptInvitation(ctx.tx, ctx.actor, hashToken(input.token)),
})

/** Creates the link of an invitation. Only the mail contains its token. */
export function makeInvitationLink({
  secretBox,
  rateLimitMultiplier,
}: Pick<HandlerServices, 'secretBox' | 'rateLimitMultiplier'>): InvitationLink {
  const token = makeInvitationToken()
  const sealed = sealMailSecret(secretBox, 'invitation', { token })
  const mailboxOf = (email: string) => secretBox.mac('mailbox', email.toLowerCase()).toString('base64')
  return { tokenHash: hashToken(token), sealed, limit: scaled('invitation_mail', rateLimitMultiplier), mailboxOf }
}
