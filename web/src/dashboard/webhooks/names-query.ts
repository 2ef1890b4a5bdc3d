import { api } from '../api.ts'

const MOST = 100

/** The newest endpoints of a team, to name them elsewhere. */
export const endpointNamesQuery = (team_id: string) => ({
  queryKey: ['webhooks', team_id, 'names'],
  queryFn: async () => (await api.webhooks.list({ team_id, limit: MOST })).results,
})
