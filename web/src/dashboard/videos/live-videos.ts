import type { InfiniteData } from '@tanstack/react-query'
import { api, queries } from '../api.ts'
import type { Change } from '../live/follow.ts'
import { noteNews } from '../live/news.ts'
import type { Video } from './videos.ts'

interface Ref {
  team_id: string
  project_id: string
}
type Pages = InfiniteData<{ results: Video[] }, string | undefined>

/** Shows what became of videos whose submissions changed. New ones wait until the person asks for them. */
export async function showVideos(ref: Ref, changes: readonly Change[]): Promise<void> {
  const lists = queries.getQueryCache().findAll({ queryKey: ['videos', ref.project_id], type: 'active' })
  const latest = [...new Map(changes.filter(({ kind }) => kind === 'video').map((change) => [change.submission_id, change])).values()]
  if (lists.length === 0 || latest.length === 0) return
  for (const { submission_id, state } of latest) {
    const known = shownVideos(ref.project_id).find(({ draft }) => draft.submission_id === submission_id)
    const video_id = known?.id ?? (state === 'deleted' ? null : (await api.submissions.retrieve({ ...ref, submission_id })).video_id)
    if (video_id === null) continue
    const video = await api.videos.retrieve({ ...ref, video_id }).catch(() => null)
    if (video === null) change(ref.project_id, (all) => all.filter(({ id }) => id !== video_id))
    else change(ref.project_id, (all) => all.map((one) => (one.id === video_id ? video : one)))
    for (const { queryKey } of lists) {
      const [, , wanted] = queryKey
      noteNews(queryKey, video_id, video !== null && (wanted === undefined || wanted === video.state))
    }
  }
}

function shownVideos(project_id: string): Video[] {
  const lists = queries.getQueriesData<Pages>({ queryKey: ['videos', project_id] })
  return lists.flatMap(([, data]) => data?.pages.flatMap(({ results }) => results) ?? [])
}

function change(project_id: string, changed: (videos: Video[]) => Video[]): void {
  queries.setQueriesData<Pages>(
    { queryKey: ['videos', project_id] },
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, results: changed(page.results) })) },
  )
}
