import { z } from 'zod'

/** The roles in a team, in ascending order. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const

export const Role = z.enum(roles).meta({
  id: 'Role',
  description:
    'Role in the team. viewer: read everything except webhooks, events, the audit log and e-mail addresses. member: also moderate and edit. admin: also manage projects, keys, webhooks, members and settings. owner: also manage owners and delete the team.',
  example: 'member',
})
export type Role = z.infer<typeof Role>

/** Returns whether `role` is at least `required`. */
export function roleSuffices(role: Role, required: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(required)
}
