import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, type Project, queries } from '../api.ts'
import { projectsQuery, useProjectRef, useTeam } from '../shell/places.ts'
import { toast } from '../ui/toasts.tsx'

type Change = Omit<Parameters<typeof api.projects.update>[0], 'team_id' | 'project_id'>

/** Changes the project of the address. The address follows when its short name changes. */
export function useSaveProject(onSaved: (project: Project) => void) {
  const ref = useProjectRef()
  const { slug: team } = useTeam()
  const navigate = useNavigate()
  const goTo = (project: string) => navigate({ to: '/$team/$project/settings', params: { team, project }, replace: true })
  return useMutation({
    mutationFn: (change: Change) => api.projects.update({ ...ref, ...change }),
    onSuccess: async (project) => {
      const { queryKey } = projectsQuery(ref.team_id)
      // One that was asked before would bring back the project as it was.
      await queries.cancelQueries({ queryKey })
      const before = queries.getQueryData<Project[]>(queryKey) ?? []
      const isRenamed = before.some(({ id, slug }) => id === project.id && slug !== project.slug)
      // The id is an address before and after, so that the page stays while the short name changes.
      if (isRenamed) await goTo(project.id)
      queries.setQueryData<Project[]>(queryKey, (all = []) => all.map((one) => (one.id === project.id ? project : one)))
      if (isRenamed) await goTo(project.slug)
      onSaved(project)
      toast({ look: 'good', text: 'Saved.' })
    },
  })
}
