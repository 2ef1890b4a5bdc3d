import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, type Item } from '../api.ts'

export type PrivacyRequest = Item<typeof api.privacy.requests.list>

const FIRST_POLL_MS = 1_000
const LAST_POLL_MS = 15_000

/** The privacy requests of a team, newest first. */
export function requestsQuery(team_id: string) {
  return infiniteQueryOptions({
    queryKey: ['privacy-requests', team_id],
    queryFn: ({ pageParam }) => api.privacy.requests.list({ team_id, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: null as string | null, // The type of the parameter is that of the first.
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}

/** One privacy request. While an erasure runs it is asked for again, ever less often. */
export function requestQuery(team_id: string, request_id: string) {
  return queryOptions({
    queryKey: ['privacy-request', request_id],
    queryFn: () => api.privacy.requests.retrieve({ team_id, request_id }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.state === 'running' && Math.min(LAST_POLL_MS, FIRST_POLL_MS * 1.5 ** dataUpdateCount),
  })
}
