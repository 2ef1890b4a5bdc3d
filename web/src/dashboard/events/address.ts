import { defined, textOf } from '../webhooks/address.ts'

/** What the page of events shows, as it stands in the address. */
export interface EventsSearch {
  /** The catalogue instead of the feed. */
  view?: 'types'
  /** Only events of this type. */
  type?: string
  /** The event that is open. */
  item?: string
}

export function readEventsSearch(search: Record<string, unknown>): EventsSearch {
  return defined({ view: search.view === 'types' ? ('types' as const) : undefined, type: textOf(search.type), item: textOf(search.item) })
}
