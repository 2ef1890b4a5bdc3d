import { queryOptions } from '@tanstack/react-query'
import { api, type Item, type Output } from '../api.ts'
import type { WidgetFields } from './fields.ts'

export type PublicItem = Item<typeof api.public.items.list>
type Aggregate = Output<typeof api.public.items.list>['aggregate']
interface ProjectRef {
  team_id: string
  project_id: string
}

const ALL = 100

/** What widgets can show, once for all settings that somebody tries. */
export interface Material {
  items: readonly PublicItem[]
  aggregate: Aggregate
  /** Places of featured testimonials. */
  positions: ReadonlyMap<string, number>
}

/** The newest public items of the project. Null while the project has no public key. */
export function materialQuery(ref: ProjectRef) {
  return queryOptions({
    queryKey: ['widget-material', ref.project_id],
    queryFn: async (): Promise<Material | null> => {
      const [key] = (await api.publicKeys.list({ ...ref, limit: 1 })).results
      if (!key) return null
      const [page, featured] = await Promise.all([
        api.public.items.list({ public_key: key.key, limit: ALL }),
        api.testimonials.list({ ...ref, featured: true, limit: ALL }),
      ])
      const positions = featured.results.flatMap(({ id, position }): [string, number][] => (position === null ? [] : [[id, position]]))
      return { items: page.results, aggregate: page.aggregate, positions: new Map(positions) }
    },
  })
}

/** The items that a widget with these settings shows, in its order, as the service chooses them. */
export function chosenItems({ items, positions }: Material, { layout, filter, order, max_items }: WidgetFields): PublicItem[] {
  if (layout === 'badge') return []
  const { tags, kinds, min_rating } = filter
  const shown = items.filter(
    (item) =>
      (tags.length === 0 || item.tags.some((tag) => tags.includes(tag))) &&
      (kinds.length === 0 || kinds.includes(item.kind)) &&
      (min_rating === null || (item.rating ?? 0) >= min_rating),
  )
  const rank = (item: PublicItem) => {
    if (order === 'rating') return -(item.rating ?? Number.NEGATIVE_INFINITY)
    if (order === 'newest' || !item.featured) return order === 'newest' ? 0 : Number.POSITIVE_INFINITY
    return positions.get(item.id) ?? Number.MAX_VALUE
  }
  return shown.sort((one, other) => compare(rank(one), rank(other)) || (one.id < other.id ? 1 : -1)).slice(0, max_items)
}

function compare(one: number, other: number): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
