import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, type Project, queries } from '../api.ts'
import { keep, readKept } from '../kept.ts'
import { keysQuery } from '../projects/keys-query.ts'
import { countsQuery, useHasRole } from '../shell/places.ts'

/** What a new project has. Each is read from the service, whoever did it and wherever. */
export interface Steps {
  hasLook: boolean
  /** A public key, by which visitors reach the project. */
  publicKey: string | null
  hasSubmission: boolean
  hasApproved: boolean
  hasWidget: boolean
}

/** Reads how far a project is; undefined until that is known. */
export function useSteps(
  project: Project | undefined,
  isEnabled = true,
): { steps: Steps | undefined; error: unknown; refetch: () => void } {
  const { team_id, id: project_id } = project ?? { team_id: '', id: '' }
  const enabled = isEnabled && project !== undefined
  const keys = useInfiniteQuery({ ...keysQuery({ team_id, project_id }), enabled })
  const counts = useQuery({ ...countsQuery(project ?? NO_PROJECT), enabled })
  const widgets = useQuery({
    queryKey: ['widgets', project_id, 'first'],
    queryFn: () => api.widgets.list({ team_id, project_id, limit: 1 }),
    enabled,
  })
  const isKnown = project !== undefined && keys.data && counts.data && widgets.data
  const steps = isKnown
    ? {
        hasLook: project.theme.color !== null || project.theme.logo_url !== null,
        publicKey: keys.data.pages[0]?.results[0]?.key ?? null,
        hasSubmission: counts.data.pending + counts.data.approved + counts.data.rejected > 0,
        hasApproved: counts.data.approved > 0,
        hasWidget: widgets.data.results.length > 0,
      }
    : undefined
  return {
    steps,
    error: keys.error ?? counts.error ?? widgets.error,
    refetch: () => {
      for (const query of [keys, counts, widgets]) void query.refetch()
    },
  }
}

/** How many of the five steps are done. */
export function countDone({ hasLook, publicKey, hasSubmission, hasApproved, hasWidget }: Steps): number {
  return [hasLook, publicKey !== null, hasSubmission, hasApproved, hasWidget].filter(Boolean).length
}

export const ALL_STEPS = 5

/** Whether the person has put the first steps of the project away, or they were all done when last seen in this browser. */
export function useAreStepsHidden(projectId: string): boolean {
  return useQuery({ ...hiddenQuery(projectId), enabled: projectId !== '' }).data ?? true
}

/** Shows the first steps in the navigation, or not any more. */
export function hideSteps(projectId: string, isHidden: boolean): void {
  keep('local', keyOf(projectId), isHidden ? 'hidden' : null)
  queries.setQueryData(hiddenQuery(projectId).queryKey, isHidden)
}

/** Whether the navigation shows the first steps: to those who can do them, until they are done or put away. */
export function useShowsSteps(project: Project | undefined): boolean {
  const isAdmin = useHasRole('admin')
  const isHidden = useAreStepsHidden(project?.id ?? '')
  const { steps } = useSteps(project, isAdmin && !isHidden)
  const areDone = steps !== undefined && countDone(steps) === ALL_STEPS
  const projectId = project?.id
  useEffect(() => {
    // Or every page would ask for them again.
    if (areDone && projectId !== undefined) hideSteps(projectId, true)
  }, [areDone, projectId])
  return isAdmin && !isHidden && steps !== undefined && !areDone
}

/** Never asked for. */
const NO_PROJECT = { team_id: '', id: '' } as Project

function hiddenQuery(projectId: string) {
  return {
    queryKey: ['first-steps', projectId],
    queryFn: () => readKept('local', keyOf(projectId)) !== null,
    staleTime: Number.POSITIVE_INFINITY,
  }
}

function keyOf(projectId: string): string {
  return `earshot.first-steps.${projectId}`
}
