import { useState } from 'react'
import { api } from '../api.ts'
import { useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Section } from '../ui/page.tsx'

/** The end of a team. */
export function DeleteTeam() {
  const team = useTeam()
  const [isAsking, setIsAsking] = useState(false)
  const remove = async () => {
    await api.teams.delete({ team_id: team.id })
    // What this page knows belongs to no team any more.
    location.assign('/app/')
  }
  return (
    <Section title="Delete this team" lead="All projects and their feedback go with it, and members lose access.">
      <Button look="danger" onClick={() => setIsAsking(true)}>
        Delete team
      </Button>
      {isAsking && (
        <Confirm
          title={`Delete ${team.name}?`}
          action="Delete team"
          typed={{ label: `Type “${team.name}” to confirm`, text: team.name }}
          onConfirm={remove}
          onClose={() => setIsAsking(false)}
        >
          <p>The team, its projects and all feedback are deleted at once. You cannot get them back.</p>
        </Confirm>
      )}
    </Section>
  )
}
