import { eventTypes } from '@earshot/contracts/constants'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, queries } from '../api.ts'
import { serviceNow } from '../clock.ts'
import { defined, type EndpointSearch, instantOf } from './address.ts'
import type { Delivery, Endpoint, EndpointRef } from './records.ts'

const PAGE = 50
const DAY_MS = 86_400_000
const SOON_MS = 60_000
const POLL_MS = 2_000
/** After these the list is read again only by the person. */
const MAX_POLLS = 60

export const endpointsQuery = (team_id: string) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', team_id],
    queryFn: ({ pageParam }) => api.webhooks.list({ team_id, limit: PAGE, ...defined({ cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })

/** The figures of the last day of all endpoints. */
export const summariesQuery = (team_id: string) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', team_id, 'summaries'],
    queryFn: ({ pageParam }) => api.webhooks.summaries.list({ team_id, limit: PAGE, ...defined({ cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })

export const endpointQuery = (ref: EndpointRef) =>
  queryOptions({ queryKey: ['webhook', ref.webhook_id], queryFn: () => api.webhooks.retrieve(ref) })

/** The catalogue of event types. It does not change while a page is open. */
export const typesQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['event-types'],
    queryFn: async () => (await api.events.types.list({ team_id })).results,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Deliveries that the address asks for. While one is sent, or due soon, the list follows it. */
export function deliveriesQuery(ref: EndpointRef, search: EndpointSearch) {
  const filters = {
    ...spanOf(search),
    ...defined({ state: search.state, event_id: search.event, replay_id: search.replay, event_type: deliveredType(search.type) }),
  }
  return infiniteQueryOptions({
    queryKey: ['deliveries', ref.webhook_id, filters],
    queryFn: ({ pageParam }) => api.webhooks.deliveries.list({ ...ref, ...filters, limit: PAGE, ...defined({ cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: ({ state }) => {
      if (state.dataUpdateCount > MAX_POLLS) return false
      const rows = state.data?.pages.flatMap(({ results }) => results) ?? []
      const isAwaited = search.replay !== undefined && rows.length === 0
      return isAwaited || rows.some(isMoving) ? POLL_MS : false
    },
  })
}

export function deliveryQuery(ref: EndpointRef, delivery_id: string) {
  return queryOptions({
    queryKey: ['delivery', delivery_id],
    queryFn: () => api.webhooks.deliveries.retrieve({ ...ref, delivery_id }),
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) && state.dataUpdateCount < MAX_POLLS ? POLL_MS : false),
  })
}

/** All attempts of a delivery: at most eight. */
export function deliveryAttemptsQuery(ref: EndpointRef, { id, attempt_count, state }: Delivery) {
  return queryOptions({
    // Asked for again when there is one more, and when the last one has ended.
    queryKey: ['attempts', ref.webhook_id, 'of', id, attempt_count, state],
    queryFn: async () => (await api.webhooks.attempts.list({ ...ref, delivery_id: id })).results,
  })
}

export function attemptsQuery(ref: EndpointRef, search: EndpointSearch) {
  const filters = { ...spanOf(search), ...defined({ outcome: search.outcome }), ...(search.status && { status_code: search.status }) }
  return infiniteQueryOptions({
    queryKey: ['attempts', ref.webhook_id, filters],
    queryFn: ({ pageParam }) => api.webhooks.attempts.list({ ...ref, ...filters, limit: PAGE, ...defined({ cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
}

export const statsQuery = (ref: EndpointRef, days: number) =>
  queryOptions({
    queryKey: ['stats', ref.webhook_id, days],
    // An hour less than what is kept: the clocks may differ.
    queryFn: () =>
      api.webhooks.stats({ ...ref, from: new Date(serviceNow() - days * DAY_MS + (days === 30 ? DAY_MS / 24 : 0)).toISOString() }),
  })

/** When the next delivery that waits for another attempt is due; null if the newest ones wait for their first. */
export const retriesQuery = (ref: EndpointRef) =>
  queryOptions({
    queryKey: ['deliveries', ref.webhook_id, 'retries'],
    queryFn: async () => {
      const { results } = await api.webhooks.deliveries.list({ ...ref, state: 'pending', limit: PAGE })
      const times = results.filter(({ attempt_count }) => attempt_count > 0).map(({ next_attempt_at }) => next_attempt_at)
      return times.filter((time) => time !== null).sort()[0] ?? null
    },
  })

/** After a change of an endpoint: the list and the endpoint itself. */
export async function endpointChanged(endpoint: Endpoint): Promise<void> {
  queries.setQueryData(['webhook', endpoint.id], endpoint)
  await queries.invalidateQueries({ queryKey: ['webhooks', endpoint.team_id] })
}

/** After something was sent: its deliveries, attempts, figures and health. */
export async function endpointSent(ref: EndpointRef): Promise<void> {
  const keys = [...['deliveries', 'attempts', 'stats', 'webhook'].map((name) => [name, ref.webhook_id]), ['webhooks', ref.team_id]]
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })))
}

/** After a delivery has ended: the endpoint, its figures, and the list of endpoints. */
export async function healthChanged(ref: EndpointRef): Promise<void> {
  const keys = [
    ['webhook', ref.webhook_id],
    ['stats', ref.webhook_id],
    ['webhooks', ref.team_id],
  ]
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })))
}

function spanOf({ after, before }: EndpointSearch) {
  return defined({ created_after: instantOf(after), created_before: instantOf(before) })
}

function isMoving({ state, next_attempt_at }: Delivery): boolean {
  if (state === 'sending') return true
  return state === 'pending' && next_attempt_at !== null && Date.parse(next_attempt_at) - serviceNow() < SOON_MS
}

/** The types of deliveries: those of the catalogue, and that of a test. */
export const DELIVERED_TYPES = [...eventTypes, 'webhook.test'] as const

function deliveredType(type: string | undefined): Delivery['event_type'] | undefined {
  return DELIVERED_TYPES.find((known) => known === type)
}
