import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, type Item, queries } from '../api.ts'
import { resetLists } from '../inbox/lists.ts'

type TagCount = Item<typeof api.tags.list>

interface Ref {
  team_id: string
  project_id: string
}

const PAGE = 100

/** The tags of a project, in the order of their names. */
export function tagsQuery(ref: Ref) {
  return infiniteQueryOptions({
    queryKey: ['tags', ref.project_id, 'pages'],
    queryFn: ({ pageParam: cursor }) => api.tags.list({ ...ref, limit: PAGE, cursor }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
}

/** Whether a submission has the tag, for a name that the loaded pages do not have. */
export function isTagQuery(ref: Ref, tag: string) {
  return queryOptions({
    queryKey: ['tags', ref.project_id, 'is-tag', tag],
    queryFn: async () => (await api.submissions.list({ ...ref, tag, limit: 1 })).results.length > 0,
  })
}

/** The tag, as far as the pages are loaded. */
export function findTag(pages: readonly { results: TagCount[] }[], tag: string): TagCount | undefined {
  return pages.flatMap(({ results }) => results).find((one) => one.tag === tag)
}

/** Reads again what shows tags. */
export async function refreshTags(project_id: string): Promise<void> {
  resetLists(project_id)
  await Promise.all(['tags', 'words'].map((name) => queries.invalidateQueries({ queryKey: [name, project_id] })))
}

/** "12 submissions". */
export function submissionsText(count: number): string {
  return count === 1 ? '1 submission' : `${count.toLocaleString('en')} submissions`
}
