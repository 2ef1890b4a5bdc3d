import { z } from 'zod'

/** The roles in a team, from least to most. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const

export const Role = z.enum(roles).meta({
  id: 'Role',
  description:
    'viewer reads all but webhooks, events and the audit log, and sees no e-mail addresses; member also moderates and edits; admin also runs projects, keys, webhooks, people and settings; owner also owners and the end of the team.',
  example: 'member',
})
export type Role = z.infer<typeof Role>

/** Whether `role` may do what asks for at least `required`. */
export function roleSuffices(role: Role, required: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(required)
}
