import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api, queries } from '../api.ts'
import { useHasRole, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useDraft } from '../ui/draft.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { toast } from '../ui/toasts.tsx'
import { invitationsQuery } from './members-query.ts'
import { rolesBelow } from './roles.ts'

/** Invites a person by e-mail. It stays open with the reason when that fails. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const team = useTeam()
  const roles = rolesBelow(useHasRole('owner'))
  const [{ email, role: chosen }, change, forget] = useDraft(`invitation.${team.id}`, { email: '', role: 'member' })
  // A draft may have a role that the person may no longer give.
  const role = roles.find(({ value }) => value === chosen)?.value ?? 'member'
  const invite = useMutation({
    mutationFn: () => api.invitations.create({ team_id: team.id, email: email.trim(), role }),
    onSuccess: async (invitation) => {
      forget()
      await queries.invalidateQueries({ queryKey: invitationsQuery(team.id).queryKey })
      toast({ look: 'good', text: `The invitation is on its way to ${invitation.email ?? email}.` })
      onClose()
    },
  })
  const errors = fieldErrors(invite.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!invite.isPending) invite.mutate()
  }
  return (
    <Dialog title={`Invite to ${team.name}`} onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <TextField
          {...{ label: 'E-mail address', type: 'email', value: email, error: errors.get('email') }}
          hint="The link in the mail works once, for seven days, and only for this address."
          autoComplete="off"
          onChange={(event) => change({ email: event.target.value })}
          required
        />
        <SelectField
          {...{ label: 'Role', options: roles, value: role, error: errors.get('role') }}
          hint={roles.find(({ value }) => value === role)?.hint}
          onChange={({ target }) => change({ role: target.value })}
        />
        {invite.error && errors.size === 0 && <ErrorNote error={invite.error} />}
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={invite.isPending}>
            Send invitation
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
