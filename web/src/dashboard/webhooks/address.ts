import type { Attempt, Delivery } from './records.ts'

export const TABS = ['deliveries', 'attempts', 'figures', 'settings'] as const
export const DELIVERY_STATES = ['pending', 'sending', 'succeeded', 'failed', 'skipped'] as const satisfies readonly Delivery['state'][]
export const OUTCOMES = ['succeeded', 'failed'] as const
export const RANGES = [1, 7, 30] as const
export type Tab = (typeof TABS)[number]

/** What the page of an endpoint shows, as it stands in the address. */
export interface EndpointSearch {
  tab: Tab
  state?: Delivery['state']
  type?: string
  /** Deliveries and attempts made from this time on, as typed. */
  after?: string
  before?: string
  /** An event, all deliveries of which are shown. */
  event?: string
  /** A replay, all deliveries of which are shown. */
  replay?: string
  outcome?: (typeof OUTCOMES)[number]
  status?: Attempt['status_code']
  /** Days of the figures. */
  days?: (typeof RANGES)[number]
  /** The delivery that is open. */
  item?: string
}

/** Reads the address. What it does not know is left out, so that an old link still opens. */
export function readEndpointSearch(search: Record<string, unknown>): EndpointSearch {
  const status = Number(search.status)
  return {
    tab: TABS.find((tab) => tab === search.tab) ?? 'deliveries',
    ...defined({
      state: DELIVERY_STATES.find((state) => state === search.state),
      type: textOf(search.type),
      after: timeOf(search.after),
      before: timeOf(search.before),
      event: textOf(search.event),
      replay: textOf(search.replay),
      outcome: OUTCOMES.find((outcome) => outcome === search.outcome),
      status: Number.isInteger(status) && status >= 100 && status <= 599 ? status : undefined,
      days: RANGES.find((days) => days === Number(search.days)),
      item: textOf(search.item),
    }),
  }
}

/** The list of endpoints, or the form for a new one. */
export interface EndpointsSearch {
  create?: true
}

export function readEndpointsSearch(search: Record<string, unknown>): EndpointsSearch {
  return search.create === true ? { create: true } : {}
}

type Defined<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> }

/** Leaves out fields without a value. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  // Proven: only fields with a value are kept.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}

/** A text of the address, which is read as JSON, so digits come as a number. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined
}

/** A time of the address in the form of a field for a date and an hour. */
export function timeOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? text : undefined
}

/** A date and an hour as typed, as an instant. */
export function instantOf(local: string | undefined): string | undefined {
  return local === undefined || local === '' ? undefined : new Date(local).toISOString()
}

/** An instant as the value of a field for a date and an hour. */
export function localOf(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - offsetMs).toISOString().slice(0, 16)
}
