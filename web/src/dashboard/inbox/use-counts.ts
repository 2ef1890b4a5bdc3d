import { useQuery } from '@tanstack/react-query'
import type { api, Output, Project } from '../api.ts'
import { countsQuery } from '../shell/places.ts'
import { useHeld } from './decisions.ts'

type Counts = Output<typeof api.submissions.counts>

/** Never asked for. */
const NO_PROJECT = { team_id: '', id: '' } as Parameters<typeof countsQuery>[0]

/** How many submissions there are of each state. Decisions on their way count already. */
export function useCounts(project: Project | undefined): Counts | undefined {
  const held = useHeld()
  const { data: counts } = useQuery({ ...countsQuery(project ?? NO_PROJECT), enabled: project !== undefined })
  if (!counts) return undefined
  const shown = { ...counts }
  for (const { submission, action } of held.values()) {
    if (submission.project_id !== project?.id) continue
    shown[submission.state] = Math.max(0, shown[submission.state] - 1)
    shown[action === 'approve' ? 'approved' : 'rejected'] += 1
  }
  return shown
}
