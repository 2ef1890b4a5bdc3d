import { type FormEvent, useState } from 'react'
import { api, queries } from '../api.ts'
import { useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { TextField } from '../ui/field.tsx'
import { requestQuery, requestsQuery } from './privacy-query.ts'

const ADDRESS = /^[^\s@]+@[^\s@]+$/

/** Erases a person from the team. The address is typed twice, because it cannot be undone. */
export function EraseForm({ onErased }: { onErased: (requestId: string) => void }) {
  const team = useTeam()
  const [email, setEmail] = useState('')
  const [error, setError] = useState<string | undefined>()
  const [isAsking, setIsAsking] = useState(false)
  const address = email.trim()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isAddress = ADDRESS.test(address)
    setError(isAddress ? undefined : 'must be an e-mail address')
    setIsAsking(isAddress)
  }
  const erase = async () => {
    const receipt = await api.privacy.erase({ team_id: team.id, email: address })
    setEmail('')
    queries.setQueryData(requestQuery(team.id, receipt.id).queryKey, receipt)
    for (const queryKey of [requestsQuery(team.id).queryKey, ['submissions'], ['counts'], ['testimonials'], ['invitations']])
      await queries.invalidateQueries({ queryKey })
    onErased(receipt.id)
  }
  return (
    <form className="card stack" onSubmit={submit} noValidate aria-labelledby="erase-title">
      <h2 id="erase-title">Erase</h2>
      <p className="soft">Removes a person from everything the team keeps, for good. Accounts of members are not erased.</p>
      <TextField
        {...{ label: 'E-mail address', type: 'email', value: email, error }}
        autoComplete="off"
        onChange={(event) => setEmail(event.target.value)}
        required
      />
      <div className="row">
        <Button look="danger" type="submit">
          Erase…
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title="Erase this person?"
          action="Erase for good"
          typed={{ label: 'Type the e-mail address again', text: address }}
          onConfirm={erase}
          onClose={() => setIsAsking(false)}
        >
          <p>
            Submissions, videos, responses, invitations, mails and copies in events of <strong>{address}</strong> are removed. In records of
            other people the address is replaced. Later imports leave the person out. Nobody can bring it back.
          </p>
        </Confirm>
      )}
    </form>
  )
}
