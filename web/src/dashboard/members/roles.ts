import type { Team } from '../api.ts'

export type Role = Team['role']

/** What each role may do, in a sentence. */
export const ROLES: readonly { value: Role; label: string; hint: string }[] = [
  { value: 'viewer', label: 'Viewer', hint: 'Reads everything but webhooks, events, the audit log and e-mail addresses.' },
  { value: 'member', label: 'Member', hint: 'Also moderates and edits.' },
  { value: 'admin', label: 'Admin', hint: 'Also manages projects, keys, webhooks, members and settings.' },
  { value: 'owner', label: 'Owner', hint: 'Also manages owners, and deletes the team.' },
]

/** The roles that a person with this role can give. */
export function rolesBelow(isOwner: boolean): readonly { value: Role; label: string; hint: string }[] {
  return ROLES.filter(({ value }) => isOwner || value !== 'owner')
}

/** Such as "an admin". */
export function roleWithArticle(role: Role): string {
  return `${role === 'admin' || role === 'owner' ? 'an' : 'a'} ${role}`
}
