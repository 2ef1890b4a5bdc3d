import { z } from 'zod'
import { TeamMembership } from './me.ts'
import { NoContent, operation } from './operation.ts'
import { INVITATIONS, TEAM, TeamRef } from './paths.ts'
import { Role } from './roles.ts'
import { ContactEmail, CreatedAt, Id, listOf, MailboxInput, Page, text, timestamp, UpdatedAt } from './schemas/primitives.ts'
import { TeamUser } from './schemas/profile.ts'

export const InvitationState = z.enum(['pending', 'accepted', 'revoked', 'expired']).meta({
  id: 'InvitationState',
  description: 'Only what is pending can be accepted; it expires by itself.',
  example: 'pending',
})
export type InvitationState = z.infer<typeof InvitationState>

export const Invitation = z
  .object({
    id: Id,
    email: ContactEmail,
    role: Role,
    state: InvitationState,
    invited_by: TeamUser.nullable().meta({ description: 'Who invited, as the person is now; null for an account that is gone.' }),
    expires_at: timestamp('When its link stops working.'),
    accepted_at: timestamp('When the person joined; null if that has not happened.').nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Invitation', description: 'An invitation to join a team, sent to one e-mail address.' })

const InvitationRef = TeamRef.extend({ invitation_id: Id.meta({ description: 'The invitation.' }) })

export const invitations = {
  list: operation({
    method: 'GET',
    path: `${TEAM}/invitations/`,
    summary: 'List the invitations of a team',
    description: 'What was accepted or revoked, or has expired, is listed for 90 days.',
    scope: 'read:members',
    role: 'viewer',
    input: TeamRef.extend({
      ...Page.shape,
      state: InvitationState.optional().meta({ description: 'Only those in this state.' }),
    }),
    output: listOf('Invitation', Invitation),
  }),
  create: operation({
    method: 'POST',
    path: `${TEAM}/invitations/`,
    status: 201,
    summary: 'Invite somebody to a team',
    description:
      'Mails a link that works once, for seven days, for this address alone. A pending invitation takes a place of the quota. An admin invites up to admin; only an owner invites an owner. An address has one pending invitation to a team, and none if its owner is a member: else 409. One person sends an address at most five such mails an hour: else 429.',
    scope: 'write:members',
    role: 'admin',
    quota: 'members',
    errors: ['already_exists'],
    input: TeamRef.extend({
      email: MailboxInput.meta({ description: 'Address of the person; upper and lower case are the same.' }),
      role: Role,
    }),
    output: Invitation,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${TEAM}/invitations/{invitation_id}/`,
    summary: 'Revoke an invitation',
    description:
      'Its link stops working, and its place is free. What was revoked or has expired stays as it is; what was accepted is 409: remove the member. Only an owner revokes the invitation of an owner.',
    scope: 'write:members',
    role: 'admin',
    errors: ['state_conflict'],
    input: InvitationRef,
    output: NoContent,
  }),
  resend: operation({
    method: 'POST',
    path: `${TEAM}/invitations/{invitation_id}/resend/`,
    summary: 'Send an invitation again',
    description:
      'Mails another link, good for seven days; the one before stops working. Only what is pending is sent again: else 409. One person sends an address at most five such mails an hour: else 429. Only an owner sends the invitation of an owner.',
    scope: 'write:members',
    role: 'admin',
    errors: ['state_conflict'],
    input: InvitationRef,
    output: Invitation,
  }),
  accept: operation({
    method: 'POST',
    path: `${INVITATIONS}/accept/`,
    summary: 'Accept an invitation',
    description:
      'You join the team. The link works once, and only for the account that has the invited address, in upper or lower case; the address counts as verified from then on. Sent again, you get the same answer. A link that is unknown, replaced, revoked, expired, used or meant for somebody else is 404, whichever it is; 409 if you have joined the team in another way; 402 if its plan has become too small.',
    scope: 'write:profile',
    withoutApiAccess: true,
    errors: ['not_found', 'already_exists', 'quota_exceeded'],
    input: z.strictObject({ token: text(128, 1).meta({ description: 'From the link of the mail.' }) }),
    output: TeamMembership,
  }),
}
