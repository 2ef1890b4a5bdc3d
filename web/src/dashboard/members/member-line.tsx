import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Member, queries } from '../api.ts'
import { useHasRole, useIdentity, useTeam } from '../shell/places.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Face } from '../ui/face.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Ago } from '../ui/time.tsx'
import { toast } from '../ui/toasts.tsx'
import { MemberConfirm, type MemberDecision } from './member-confirm.tsx'
import { membersQuery } from './members-query.ts'
import { ROLES, type Role, rolesBelow } from './roles.ts'

/** One person of the team. Admins change roles and remove; owners also hand over the team. */
export function MemberLine({ member }: { member: Member }) {
  const { user, role, joined_at } = member
  const isSelf = useIdentity().user.id === user.id
  const isAdmin = useHasRole('admin')
  const isOwner = useHasRole('owner')
  const [asked, setAsked] = useState<MemberDecision | null>(null)
  const change = useChangeRole(member)
  const isMine = isAdmin && (isOwner || role !== 'owner')
  const choose = (next: Role) => {
    if (change.isPending || next === role) return
    if (isSelf) setAsked({ kind: 'change-own', role: next })
    else change.mutate(next)
  }
  return (
    <li>
      <Face name={user.name} />
      <div className="who">
        <strong dir="auto">
          {user.name}
          {isSelf && <span className="soft"> you</span>}
        </strong>
        <span className="soft">
          {user.email !== null && `${user.email} · `}joined <Ago at={joined_at} />
        </span>
      </div>
      {isMine ? (
        <RoleSelect {...{ member, isOwner }} role={change.isPending ? change.variables : role} onChoose={choose} />
      ) : (
        <span className="tag">{labelOf(role)}</span>
      )}
      {isMine ? <MemberMenu {...{ member, isSelf }} onAsk={setAsked} /> : <span />}
      {change.error && <ErrorNote error={change.error} />}
      {asked && <MemberConfirm member={member} decision={asked} onClose={() => setAsked(null)} />}
    </li>
  )
}

function useChangeRole({ user }: Member) {
  const team = useTeam()
  return useMutation({
    mutationFn: (role: Role) => api.members.update({ team_id: team.id, user_id: user.id, role }),
    onSuccess: async (_changed, role) => {
      await queries.invalidateQueries({ queryKey: membersQuery(team.id).queryKey })
      toast({ look: 'good', text: `${user.name} is ${labelOf(role).toLowerCase()} now.` })
    },
  })
}

interface RoleSelectProps {
  member: Member
  role: Role
  isOwner: boolean
  onChoose: (role: Role) => void
}

function RoleSelect({ member, role, isOwner, onChoose }: RoleSelectProps) {
  const options = rolesBelow(isOwner)
  return (
    <select
      aria-label={`Role of ${member.user.name}`}
      value={role}
      onChange={({ target }) => {
        const chosen = options.find(({ value }) => value === target.value)
        if (chosen) onChoose(chosen.value)
      }}
    >
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

interface MemberMenuProps {
  member: Member
  isSelf: boolean
  onAsk: (decision: MemberDecision) => void
}

function MemberMenu({ member, isSelf, onAsk }: MemberMenuProps) {
  const isOwner = useHasRole('owner')
  return (
    <Menu className="icon-btn" label={`More about ${member.user.name}`} trigger={<Icon name="dots" />}>
      {isOwner && !isSelf && (
        <MenuItem icon="key" onSelect={() => onAsk({ kind: 'transfer' })}>
          Transfer ownership
        </MenuItem>
      )}
      <MenuItem icon="trash" onSelect={() => onAsk({ kind: isSelf ? 'leave' : 'remove' })}>
        {isSelf ? 'Leave the team' : 'Remove from the team'}
      </MenuItem>
    </Menu>
  )
}

function labelOf(role: Role): string {
  return ROLES.find(({ value }) => value === role)?.label ?? role
}
