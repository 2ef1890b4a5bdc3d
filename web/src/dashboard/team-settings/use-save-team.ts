import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, queries, type Team } from '../api.ts'
import { teamsQuery, useTeam } from '../shell/places.ts'
import { toast } from '../ui/toasts.tsx'

type Change = Omit<Parameters<typeof api.teams.update>[0], 'team_id'>

/** Changes the team of the address. The address follows when its short name changes. */
export function useSaveTeam(onSaved: (team: Team) => void) {
  const before = useTeam()
  const navigate = useNavigate()
  const goTo = (team: string) => navigate({ to: '/$team/-/settings', params: { team }, replace: true })
  return useMutation({
    mutationFn: (change: Change) => api.teams.update({ team_id: before.id, ...change }),
    onSuccess: async (team) => {
      const isRenamed = before.slug !== team.slug
      // The id is an address before and after, so that the page stays while the short name changes.
      if (isRenamed) await goTo(team.id)
      queries.setQueryData<Team[]>(teamsQuery.queryKey, (all = []) => all.map((one) => (one.id === team.id ? team : one)))
      if (isRenamed) await goTo(team.slug)
      onSaved(team)
      toast({ look: 'good', text: 'Saved.' })
    },
  })
}
