import { z } from 'zod'
import { durations } from './durations.ts'
import { TeamMembership } from './me.ts'
import { NoContent, operation } from './operation.ts'
import { INVITATIONS, TEAM, TeamRef } from './paths.ts'
import { Role } from './roles.ts'
import { ContactEmail, CreatedAt, Id, listOf, MailboxInput, Page, text, timestamp, UpdatedAt } from './schemas/primitives.ts'
import { TeamUser } from './schemas/profile.ts'

export const InvitationState = z.enum(['pending', 'accepted', 'revoked', 'expired']).meta({
  id: 'InvitationState',
  description: 'State of the invitation. Only a pending invitation can be accepted.',
  example: 'pending',
})
export type InvitationState = z.infer<typeof InvitationState>

export const Invitation = z
  .object({
    id: Id,
    email: ContactEmail,
    role: Role,
    state: InvitationState,
    invited_by: TeamUser.nullable().meta({
      description: 'The person who sent it, with their current profile; null for a deleted account.',
    }),
    expires_at: timestamp('Time when the link expires.'),
    accepted_at: timestamp('Time when the person joined; null if not yet.').nullable(),
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
    description: `Accepted, revoked and expired invitations are listed for ${durations.closedInvitationDays} days.`,
    scope: 'read:members',
    role: 'viewer',
    input: TeamRef.extend({
      ...Page.shape,
      state: InvitationState.optional().meta({ description: 'Only invitations in this state.' }),
    }),
    output: listOf('Invitation', Invitation),
  }),
  create: operation({
    method: 'POST',
    path: `${TEAM}/invitations/`,
    status: 201,
    hints: { sendsOut: true },
    summary: 'Invite a person to a team',
    description: `E-mails a link that works once, for ${durations.invitationDays} days, and only for this address. A pending invitation counts toward the quota of members. Admins can invite up to the role admin; only an owner can invite an owner. Returns 409 if the address already has a pending invitation or its owner is a member. You can send an address at most five invitations an hour; one more returns 429.`,
    scope: 'write:members',
    role: 'admin',
    quota: 'members',
    errors: ['already_exists'],
    input: TeamRef.extend({
      email: MailboxInput.meta({ description: 'E-mail address of the person. Case does not matter.' }),
      role: Role,
    }),
    output: Invitation,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${TEAM}/invitations/{invitation_id}/`,
    summary: 'Revoke an invitation',
    description:
      'The link stops working, and the invitation no longer counts toward the quota. Revoking a revoked or expired invitation has no effect. An accepted invitation returns 409; remove the member instead. Only an owner can revoke the invitation of an owner.',
    scope: 'write:members',
    role: 'admin',
    errors: ['state_conflict'],
    input: InvitationRef,
    output: NoContent,
  }),
  resend: operation({
    method: 'POST',
    path: `${TEAM}/invitations/{invitation_id}/resend/`,
    hints: { idempotent: false, sendsOut: true },
    summary: 'Resend an invitation',
    description: `E-mails a new link, valid for ${durations.invitationDays} days; the previous link stops working. Returns 409 if the invitation is not pending. You can send an address at most five invitations an hour; one more returns 429. Only an owner can resend the invitation of an owner.`,
    scope: 'write:members',
    role: 'admin',
    errors: ['state_conflict'],
    input: InvitationRef,
    output: Invitation,
  }),
  accept: operation({
    method: 'POST',
    path: `${INVITATIONS}/accept/`,
    hints: { showsSecret: true },
    summary: 'Accept an invitation',
    description:
      'Adds you to the team and confirms your e-mail address. The link works once, and only for the account with the invited address; case does not matter. Repeating the request returns the same response. Returns 404 for a link that is unknown, replaced, revoked, expired, used or meant for another person; 409 if you joined the team another way; 402 if the plan of the team has no room.',
    scope: 'write:profile',
    withoutApiAccess: true,
    errors: ['not_found', 'already_exists', 'quota_exceeded'],
    input: z.strictObject({ token: text(128, 1).meta({ description: 'Token from the link in the e-mail.' }) }),
    output: TeamMembership,
  }),
}
