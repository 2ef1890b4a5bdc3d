import { defined, textOf } from '../address.ts'
import type { Submission } from '../api.ts'

const STATES = ['pending', 'approved', 'rejected'] as const
/** Testimonials are what the team entered; without a kind the page shows these. */
const KINDS = ['text', 'video'] as const
const RATINGS = [1, 2, 3, 4, 5] as const

/** What the page shows, as it stands in the address. */
export interface Filters {
  kind?: 'text' | 'video' | undefined
  state?: Submission['state'] | undefined
  featured?: true | undefined
  tag?: string | undefined
  min_rating?: number | undefined
  /** Words to search for. */
  q?: string | undefined
  /** What is open. */
  item?: string | undefined
  /** `order`: the featured ones in their order. `new`: the form. */
  view?: 'order' | 'new' | undefined
}

/** Reads the address. What it does not know is left out, so that an old link still opens. */
export function readFilters(search: Record<string, unknown>): Filters {
  return defined({
    kind: KINDS.find((kind) => kind === search.kind),
    state: STATES.find((state) => state === search.state),
    featured: search.featured === true ? (true as const) : undefined,
    tag: textOf(search.tag),
    min_rating: RATINGS.find((rating) => rating === Number(search.min_rating)),
    q: textOf(search.q),
    item: textOf(search.item),
    view: (['order', 'new'] as const).find((view) => view === search.view),
  })
}

/** What narrows the list, beside the kind. */
export function narrowing({ kind: _kind, item: _item, view: _view, ...filters }: Filters) {
  return filters
}
