import { useQuery } from '@tanstack/react-query'
import type { Project } from '../api.ts'
import { countsQuery } from '../shell/places.ts'
import { useHeld } from './decisions.ts'
import { type Counts, countHeld } from './lists.ts'

/** Never asked for. */
const NO_PROJECT = { team_id: '', id: '' } as Parameters<typeof countsQuery>[0]

/** How many submissions there are of each state. Decisions on their way count already. */
export function useCounts(project: Project | undefined): Counts | undefined {
  const held = useHeld()
  const { data: counts } = useQuery({ ...countsQuery(project ?? NO_PROJECT), enabled: project !== undefined })
  return counts && project && countHeld(held, counts, project.id)
}
