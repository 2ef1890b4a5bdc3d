import type { Submission } from '../api.ts'

const STATES = ['pending', 'approved', 'rejected'] as const
const KINDS = ['text', 'video', 'testimonial'] as const
const CHANNELS = ['public', 'api', 'mcp', 'import', 'dashboard'] as const
const RATINGS = [1, 2, 3, 4, 5] as const

/** What the inbox shows, as it stands in the address. Without a state it is the queue of pending submissions. */
export interface Filters {
  state?: Submission['state']
  kind?: Submission['kind']
  channel?: Submission['channel']
  tag?: string
  min_rating?: number
  /** Words to search for. */
  q?: string
  /** The submission that is open. */
  item?: string
}

/** Reads the address. What it does not know is left out, so that an old link still opens. */
export function readFilters(search: Record<string, unknown>): Filters {
  return defined({
    state: STATES.find((state) => state === search.state),
    kind: KINDS.find((kind) => kind === search.kind),
    channel: CHANNELS.find((channel) => channel === search.channel),
    tag: textOf(search.tag),
    min_rating: RATINGS.find((rating) => rating === Number(search.min_rating)),
    q: textOf(search.q),
    item: textOf(search.item),
  })
}

/** The input of `submissions.list`. */
export function listInput({ state = 'pending', q, item: _item, ...filters }: Filters) {
  return { state, ...filters, ...(q !== undefined && { search: q }) }
}

/** Whether anything but the state narrows the list. */
export function isNarrowed({ state: _state, item: _item, ...filters }: Filters): boolean {
  return Object.keys(filters).length > 0
}

type Defined<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> }

function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  // Proven: only fields with a value are kept.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}

function textOf(value: unknown): string | undefined {
  // The address is read as JSON, so digits come as a number.
  return typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined
}
