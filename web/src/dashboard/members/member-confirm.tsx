import { api, type Member, queries } from '../api.ts'
import { teamsQuery, useIdentity, useTeam } from '../shell/places.ts'
import { Confirm } from '../ui/confirm.tsx'
import { toast } from '../ui/toasts.tsx'
import { membersQuery } from './members-query.ts'
import { type Role, roleWithArticle } from './roles.ts'

/** What is asked about a member before it is done. */
export type MemberDecision = { kind: 'remove' | 'leave' | 'transfer' } | { kind: 'change'; role: Role }

interface MemberConfirmProps {
  member: Member
  decision: MemberDecision
  onClose: () => void
}

/** Asks before somebody loses access, or rights. The last owner is refused with the reason. */
export function MemberConfirm({ member: { user }, decision, onClose }: MemberConfirmProps) {
  const team = useTeam()
  const ref = { team_id: team.id, user_id: user.id }
  const reload = async () => {
    await queries.invalidateQueries({ queryKey: membersQuery(team.id).queryKey })
    await queries.invalidateQueries({ queryKey: teamsQuery.queryKey })
  }
  if (decision.kind === 'transfer') {
    const transfer = async () => {
      await api.members.transferOwnership(ref)
      await reload()
      toast({ look: 'good', text: `${user.name} is an owner now. You are an admin.` })
    }
    return (
      <Confirm title={`Make ${user.name} the owner?`} action="Transfer ownership" onConfirm={transfer} onClose={onClose}>
        <p>
          <strong dir="auto">{user.name}</strong> becomes an owner of {team.name}, and you become an admin. Only an owner can give the
          ownership back to you.
        </p>
      </Confirm>
    )
  }
  if (decision.kind === 'change') return <ChangeConfirm {...{ user, role: decision.role, onClose, reload }} />
  return <RemoveConfirm {...{ user, isSelf: decision.kind === 'leave', onClose, reload }} />
}

interface ChangeConfirmProps {
  user: Member['user']
  role: Role
  onClose: () => void
  reload: () => Promise<void>
}

/** One key in a closed list chooses a role: it is asked before it holds. */
function ChangeConfirm({ user, role, onClose, reload }: ChangeConfirmProps) {
  const team = useTeam()
  const isSelf = useIdentity().user.id === user.id
  const change = async () => {
    await api.members.update({ team_id: team.id, user_id: user.id, role })
    await reload()
    toast({ look: 'good', text: `${isSelf ? 'You are' : `${user.name} is`} ${roleWithArticle(role)} now.` })
  }
  if (isSelf)
    return (
      <Confirm title="Change your own role?" action={`Become ${roleWithArticle(role)}`} onConfirm={change} onClose={onClose}>
        <p>You give up rights in {team.name}, and cannot give them back to yourself.</p>
      </Confirm>
    )
  return (
    <Confirm
      title={`Make ${user.name} ${roleWithArticle(role)}?`}
      action="Change the role"
      look="primary"
      onConfirm={change}
      onClose={onClose}
    >
      <p>
        <strong dir="auto">{user.name}</strong> gets the rights of {roleWithArticle(role)} in {team.name} at once. This applies to existing
        access tokens too, within their scopes.
      </p>
    </Confirm>
  )
}

interface RemoveConfirmProps {
  user: Member['user']
  isSelf: boolean
  onClose: () => void
  reload: () => Promise<void>
}

function RemoveConfirm({ user, isSelf, onClose, reload }: RemoveConfirmProps) {
  const team = useTeam()
  const remove = async () => {
    await api.members.delete({ team_id: team.id, user_id: user.id })
    // What this page knows of the team is not the person's any more.
    if (isSelf) location.assign('/app/')
    else await reload()
  }
  return (
    <Confirm
      title={isSelf ? `Leave ${team.name}?` : `Remove ${user.name}?`}
      action={isSelf ? 'Leave the team' : 'Remove'}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        {isSelf ? 'You lose' : `${user.name} loses`} access to {team.name} at once, also by access tokens. What was done stays, and an
        invitation brings the person back.
      </p>
    </Confirm>
  )
}
