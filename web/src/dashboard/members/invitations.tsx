import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Item, queries } from '../api.ts'
import { useHasRole, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { Section } from '../ui/page.tsx'
import { Ago } from '../ui/time.tsx'
import { toast, toastFailure } from '../ui/toasts.tsx'
import { invitationsQuery } from './members-query.ts'

type Invitation = Item<typeof api.invitations.list>

/** Invitations that wait for an answer. */
export function Invitations() {
  const team = useTeam()
  const query = useInfiniteQuery(invitationsQuery(team.id))
  const [revoked, setRevoked] = useState<Invitation | null>(null)
  const revoke = async ({ id }: Invitation) => {
    await api.invitations.delete({ team_id: team.id, invitation_id: id })
    await queries.invalidateQueries({ queryKey: invitationsQuery(team.id).queryKey })
  }
  return (
    <Section title="Invitations" lead="An invitation counts towards the members of the plan until it is accepted, revoked or expired.">
      <Loaded query={query}>
        {({ pages }) => {
          const invitations = pages.flatMap(({ results }) => results)
          if (invitations.length === 0) return <p className="soft">Nobody is invited at the moment.</p>
          return (
            <ul className="people">
              {invitations.map((one) => (
                <InvitationLine key={one.id} invitation={one} onRevoke={() => setRevoked(one)} />
              ))}
            </ul>
          )
        }}
      </Loaded>
      <More query={query} />
      {revoked && (
        <Confirm title="Revoke this invitation?" action="Revoke" onConfirm={() => revoke(revoked)} onClose={() => setRevoked(null)}>
          <p>The link in the mail to {revoked.email} stops working. You can invite the person again.</p>
        </Confirm>
      )}
    </Section>
  )
}

function InvitationLine({ invitation, onRevoke }: { invitation: Invitation; onRevoke: () => void }) {
  const { id, email, role, expires_at, invited_by } = invitation
  const team = useTeam()
  const isAdmin = useHasRole('admin')
  const isOwner = useHasRole('owner')
  const resend = useMutation({
    mutationFn: () => api.invitations.resend({ team_id: team.id, invitation_id: id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: invitationsQuery(team.id).queryKey })
      toast({ look: 'good', text: `A new link is on its way to ${email}.` })
    },
    onError: toastFailure,
  })
  return (
    <li className="invitation">
      <span className="face">
        <Icon name="people" />
      </span>
      <div className="who">
        <strong>{email ?? 'Address hidden from viewers'}</strong>
        <span className="soft">
          {role}
          {invited_by && ` · invited by ${invited_by.name}`} · expires <Ago at={expires_at} />
        </span>
      </div>
      {isAdmin && (isOwner || role !== 'owner') && (
        <div className="row">
          <Button isBusy={resend.isPending} onClick={() => resend.mutate()}>
            Resend<span className="sr"> to {email}</span>
          </Button>
          <Button look="quiet" onClick={onRevoke}>
            Revoke<span className="sr"> the invitation of {email}</span>
          </Button>
        </div>
      )}
    </li>
  )
}
