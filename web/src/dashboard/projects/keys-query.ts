import { infiniteQueryOptions } from '@tanstack/react-query'
import { api } from '../api.ts'

/** The public keys of a project. */
export function keysQuery(ref: { team_id: string; project_id: string }) {
  return infiniteQueryOptions({
    queryKey: ['public-keys', ref.project_id],
    queryFn: ({ pageParam }) => api.publicKeys.list({ ...ref, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: null as string | null, // The type of the parameter is that of the first.
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}
