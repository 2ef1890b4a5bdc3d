import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../api.ts'

/** The members of a team. */
export function membersQuery(team_id: string) {
  return infiniteQueryOptions({
    queryKey: ['members', team_id],
    queryFn: ({ pageParam }) => api.members.list({ team_id, limit: 100, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: null as string | null, // The type of the parameter is that of the first.
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}

/** The members of a team by name, to find one. */
export function memberNamesQuery(team_id: string) {
  return queryOptions({
    queryKey: ['members', team_id, 'names'],
    queryFn: async () => (await api.members.list({ team_id, limit: 100 })).results,
  })
}

/** The invitations of a team that can still be accepted. */
export function invitationsQuery(team_id: string) {
  return infiniteQueryOptions({
    queryKey: ['invitations', team_id],
    queryFn: ({ pageParam }) => api.invitations.list({ team_id, state: 'pending', ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: null as string | null, // The type of the parameter is that of the first.
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}
