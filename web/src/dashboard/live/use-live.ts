import { useEffect } from 'react'
import type { Project } from '../api.ts'
import { showChanges } from './show-changes.ts'

/** Shows what changes in a project while its pages are open. */
export function useLive({ team_id, id: project_id }: Project): void {
  useEffect(() => showChanges({ team_id, project_id }), [team_id, project_id])
}
