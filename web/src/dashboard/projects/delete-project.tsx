import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, queries } from '../api.ts'
import { projectsQuery, useProject, useProjectRef, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toasts.tsx'

/** The end of a project. */
export function DeleteProject() {
  const { name } = useProject()
  const ref = useProjectRef()
  const { slug } = useTeam()
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const remove = async () => {
    await api.projects.delete(ref)
    toast({ look: 'good', text: `${name} is deleted.` })
    await queries.fetchQuery({ ...projectsQuery(ref.team_id), staleTime: 0 })
    await navigate({ to: '/$team', params: { team: slug } })
  }
  return (
    <Section
      title="Delete this project"
      lead="Everything in it goes: submissions, videos, surveys, widgets and keys. Public pages show nothing any more."
    >
      <Button look="danger" onClick={() => setIsAsking(true)}>
        Delete project
      </Button>
      {isAsking && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete project"
          typed={{ label: `Type “${name}” to confirm`, text: name }}
          onConfirm={remove}
          onClose={() => setIsAsking(false)}
        >
          <p>All feedback of the project and its public keys are deleted at once. You cannot get them back.</p>
        </Confirm>
      )}
    </Section>
  )
}
