import { useState } from 'react'
import type { Member } from '../api.ts'
import { useHasRole, useIdentity } from '../shell/places.ts'
import { Face } from '../ui/face.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Ago } from '../ui/time.tsx'
import { MemberConfirm, type MemberDecision } from './member-confirm.tsx'
import { ROLES, type Role, rolesBelow } from './roles.ts'

/** One person of the team. Admins change roles and remove; owners also hand over the team. */
export function MemberLine({ member }: { member: Member }) {
  const { user, role, joined_at } = member
  const isSelf = useIdentity().user.id === user.id
  const isAdmin = useHasRole('admin')
  const isOwner = useHasRole('owner')
  const [asked, setAsked] = useState<MemberDecision | null>(null)
  const isMine = isAdmin && (isOwner || role !== 'owner')
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
        <RoleSelect {...{ member, isOwner }} onChoose={(next) => setAsked({ kind: 'change', role: next })} />
      ) : (
        <span className="tag">{labelOf(role)}</span>
      )}
      {isMine ? <MemberMenu {...{ member, isSelf }} onAsk={setAsked} /> : <span />}
      {asked && <MemberConfirm member={member} decision={asked} onClose={() => setAsked(null)} />}
    </li>
  )
}

interface RoleSelectProps {
  member: Member
  isOwner: boolean
  onChoose: (role: Role) => void
}

function RoleSelect({ member: { user, role }, isOwner, onChoose }: RoleSelectProps) {
  const options = rolesBelow(isOwner)
  return (
    <select
      aria-label={`Role of ${user.name}`}
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
