import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, queries } from '../api.ts'
import { isMoving } from './words.ts'

const FIRST_POLL_MS = 400
const LAST_POLL_MS = 15_000

interface ProjectRef {
  team_id: string
  project_id: string
}

/** The imports of a project, newest first. */
export function importsQuery(ref: ProjectRef) {
  return infiniteQueryOptions({
    queryKey: ['imports', ref.project_id],
    queryFn: ({ pageParam }) => api.imports.list({ ...ref, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: null as string | null, // The type of the parameter is that of the first.
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}

/** One import. While it runs it is asked for again, ever less often. */
export function importQuery(ref: ProjectRef, import_id: string) {
  return queryOptions({
    queryKey: ['import', import_id],
    queryFn: () => api.imports.retrieve({ ...ref, import_id }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data && isMoving(data) && Math.min(LAST_POLL_MS, FIRST_POLL_MS * 1.4 ** dataUpdateCount),
  })
}

/** The rows of an import that failed, last row first. */
export function failedRowsQuery(ref: ProjectRef, import_id: string) {
  return infiniteQueryOptions({
    queryKey: ['import-rows', import_id],
    queryFn: ({ pageParam }) => api.imports.rows.list({ ...ref, import_id, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: null as string | null, // The type of the parameter is that of the first.
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}

/** Called when an import began or changed: what it brings is in other lists, too. */
export async function noteImportChanged({ project_id }: ProjectRef): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['imports', project_id] })
}

/** Called when the records of an import came or went. */
export async function noteRecordsChanged(project_id: string): Promise<void> {
  for (const key of ['imports', 'submissions', 'counts', 'testimonials']) await queries.invalidateQueries({ queryKey: [key, project_id] })
}
