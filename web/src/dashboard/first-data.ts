import { type api, type Identity, type Output, type Project, queries, type Team } from './api.ts'
import { noteServiceNow } from './clock.ts'
import { listKey } from './inbox/lists.ts'
import { claimTab } from './kept.ts'
import { countsKey, identityQuery, projectsQuery, teamsQuery } from './shell/places.ts'

const ID = 'first-data'

/** What the document brings, as the service writes it (`server/src/web/dashboard-data.ts`). */
interface FirstData {
  /** The time of the service, in milliseconds since 1970. */
  now: number
  me: Identity
  teams?: Team[]
  projects?: { team_id: string; results: Project[] }
  counts?: { project_id: string; counts: Output<typeof api.submissions.counts> }
  submissions?: { project_id: string; page: Output<typeof api.submissions.list> }
}

/** Takes what the document brings, so that the first page asks for none of it. Without any, pages ask for all. */
export function takeFirstData(): void {
  const text = document.getElementById(ID)?.textContent
  if (!text) return
  const { now, me, teams, projects, counts, submissions }: FirstData = JSON.parse(text) // The service wrote it.
  noteServiceNow(now)
  claimTab(me.user.id)
  queries.setQueryData(identityQuery.queryKey, me)
  if (teams) queries.setQueryData(teamsQuery.queryKey, teams)
  if (projects) queries.setQueryData(projectsQuery(projects.team_id).queryKey, projects.results)
  if (counts) queries.setQueryData(countsKey(counts.project_id), counts.counts)
  if (submissions) {
    const { project_id, page } = submissions
    queries.setQueryData([...listKey(project_id), { state: 'pending' }], { pages: [page], pageParams: [undefined] })
  }
}
