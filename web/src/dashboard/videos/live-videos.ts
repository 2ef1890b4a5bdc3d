import type { InfiniteData } from '@tanstack/react-query'
import { api, isRefusal, queries } from '../api.ts'
import type { Change } from '../live/follow.ts'
import { isBeyond, noteNews } from '../live/news.ts'
import { isOwnDeletion } from '../own-deletions.ts'
import type { Video } from './videos.ts'

interface Ref {
  team_id: string
  project_id: string
}
type Pages = InfiniteData<{ results: Video[]; next_cursor: string | null }, string | undefined>

/** More changes at once are read as the list. */
const MAX_SINGLE_READS = 5

/** Shows what became of videos whose submissions changed. New ones wait until the person asks for them. */
export async function showVideos(ref: Ref, changes: readonly Change[]): Promise<void> {
  const queryKey = ['videos', ref.project_id]
  const isOpen = queries.getQueryCache().findAll({ queryKey, type: 'active' }).length > 0
  const latest = [...new Map(changes.filter(({ kind }) => kind === 'video').map((change) => [change.submission_id, change])).values()]
  if (!isOpen || latest.length === 0) return
  try {
    if (latest.length > MAX_SINGLE_READS) await queries.invalidateQueries({ queryKey })
    else for (const change of latest) await showVideo(ref, change)
  } catch {
    // What could not be read stays on the screen until the list is.
    await queries.invalidateQueries({ queryKey })
  }
}

async function showVideo(ref: Ref, { submission_id, state }: Change): Promise<void> {
  const { project_id } = ref
  const known = shownVideos(project_id).find(({ draft }) => draft.submission_id === submission_id)
  const video_id = known?.id ?? (state === 'deleted' ? null : await videoIdOf(ref, submission_id))
  if (video_id === null || isOwnDeletion(video_id)) return
  const video = await nullIfGone(api.videos.retrieve({ ...ref, video_id }))
  if (video === null) change(project_id, (all) => all.filter(({ id }) => id !== video_id))
  else change(project_id, (all) => all.map((one) => (one.id === video_id ? video : one)))
  for (const list of queries.getQueryCache().findAll({ queryKey: ['videos', project_id], type: 'active' })) {
    const [, , wanted] = list.queryKey
    const isShown = video !== null && (wanted === undefined || wanted === video.state)
    noteNews(list.queryKey, video_id, isShown && !isBeyond(queries.getQueryData<Pages>(list.queryKey)?.pages, video_id))
  }
}

async function videoIdOf(ref: Ref, submission_id: string): Promise<string | null> {
  return (await nullIfGone(api.submissions.retrieve({ ...ref, submission_id })))?.video_id ?? null
}

/** A record that cannot be read for another reason is not gone. */
async function nullIfGone<Value>(read: Promise<Value>): Promise<Value | null> {
  try {
    return await read
  } catch (error) {
    if (isRefusal(error, 'not_found')) return null
    throw error
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
