import type { Client } from '@earshot/contracts/client'
import { eventTypes } from '@earshot/contracts/constants'
import type { Endpoint, EventType } from './records.ts'

type CreateInput = Parameters<Client['webhooks']['create']>[0]
type UpdateInput = Parameters<Client['webhooks']['update']>[0]

/** One header of the form. */
export interface HeaderDraft {
  key: number
  name: string
  value: string
  /** Stored already: its value is not shown, and stays unless it is replaced. */
  isStored: boolean
}

/** An endpoint as it stands in the form. */
export interface EndpointDraft {
  url: string
  description: string
  isAll: boolean
  types: readonly EventType[]
  format: Endpoint['format']
  projectId: string
  maxPerSecond: string
  headers: readonly HeaderDraft[]
}

/** Types about endpoints themselves: `*` leaves them out. */
export const ENDPOINT_TYPES: readonly EventType[] = ['webhook.endpoint.disabled', 'webhook.delivery.exhausted']

const CHATS: readonly { host: RegExp; format: Endpoint['format'] }[] = [
  { host: /^https:\/\/hooks\.slack\.com\//i, format: 'slack' },
  { host: /^https:\/\/(\w+\.)?discord(app)?\.com\/(?!.*\/slack$)/i, format: 'discord' },
  { host: /^https:\/\/[^/]+\.(webhook\.office\.com|logic\.azure\.com|api\.powerplatform\.com)[:/]/i, format: 'teams' },
]

export const EMPTY: EndpointDraft = {
  ...{ url: '', description: '', isAll: true, types: [], format: 'earshot', projectId: '', maxPerSecond: '', headers: [] },
}

/** The form of an endpoint that exists. */
export function draftOf({ url, description, events, format, project_id, max_per_second, headers }: Endpoint): EndpointDraft {
  return {
    ...{ url, description: description ?? '', isAll: events.includes('*'), format, projectId: project_id ?? '' },
    types: eventTypes.filter((type) => events.includes(type)),
    maxPerSecond: max_per_second === null ? '' : String(max_per_second),
    headers: Object.keys(headers).map((name, key) => ({ key, name, value: '', isStored: true })),
  }
}

/** The format that this address takes, if it is one of a chat. */
export function formatOfAddress(url: string): Endpoint['format'] | undefined {
  return CHATS.find(({ host }) => host.test(url))?.format
}

/** The input of `webhooks.create`, without the team. */
export function createInput(draft: EndpointDraft): Omit<CreateInput, 'team_id'> {
  const headers = Object.fromEntries(draft.headers.filter(isFilled).map(({ name, value }) => [name.trim(), value]))
  return { ...commonInput(draft), headers }
}

/** The input of `webhooks.update`, without the endpoint: headers are merged into what is stored. */
export function updateInput(draft: EndpointDraft, stored: Endpoint): Omit<UpdateInput, 'team_id' | 'webhook_id'> {
  const removed = Object.keys(stored.headers).filter((name) => !draft.headers.some((header) => isSame(header.name, name)))
  const set = draft.headers.filter((header) => !header.isStored && isFilled(header))
  const headers = {
    ...Object.fromEntries(removed.map((name) => [name, null])),
    ...Object.fromEntries(set.map(({ name, value }) => [name.trim(), value])),
  }
  return { ...commonInput(draft), ...(Object.keys(headers).length > 0 && { headers }) }
}

function commonInput({ url, description, isAll, types, format, projectId, maxPerSecond }: EndpointDraft) {
  const named = isAll ? types.filter((type) => ENDPOINT_TYPES.includes(type)) : types
  return {
    ...{ url: url.trim(), description: description.trim() || null, format, project_id: projectId || null },
    events: [...(isAll ? (['*'] as const) : []), ...named],
    max_per_second: maxPerSecond.trim() === '' ? null : Number(maxPerSecond),
  }
}

function isFilled({ name, value }: HeaderDraft): boolean {
  return name.trim() !== '' || value !== ''
}

function isSame(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.toLowerCase()
}
