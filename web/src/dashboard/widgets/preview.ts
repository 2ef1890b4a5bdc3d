import { sizes } from '@earshot/contracts/constants'
import { infiniteQueryOptions, type QueryClient, queryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, type Item, type Output } from '../api.ts'
import type { WidgetFields } from './fields.ts'

type PublicItem = Item<typeof api.public.items.list>
type PublicPage = Output<typeof api.public.items.list>
type Testimonial = Item<typeof api.testimonials.list>
/** What the preview shows of an item. */
export type ShownItem = Omit<PublicItem, 'published_at'>

interface ProjectRef {
  team_id: string
  project_id: string
}

const PAGE = 100
/** As many pages as the service looks at. */
const MAX_PAGES = sizes.widgetScanRows / PAGE

/** What widgets can show, once for all settings that somebody tries. */
export interface Material {
  items: readonly ShownItem[]
  aggregate: PublicPage['aggregate']
  /** Places of featured testimonials. */
  positions: ReadonlyMap<string, number>
  /** There are older items. */
  hasMore: boolean
}

/** A widget as it is stored, as visitors get it. */
export function savedQuery(id: string, fields: WidgetFields) {
  return queryOptions({ queryKey: ['public-widget', id, fields], queryFn: () => api.public.widgets.retrieve({ widget_id: id }) })
}

/** What is needed once: the public key, null if there is none, and all featured testimonials, however old. */
async function readStart(queries: QueryClient, ref: ProjectRef) {
  return await queries.fetchQuery({
    queryKey: ['widget-start', ref.project_id],
    queryFn: async () => {
      const [keys, featured] = await Promise.all([
        api.publicKeys.list({ ...ref, limit: 1 }),
        Array.fromAsync(api.testimonials.list({ ...ref, featured: true, state: 'approved', limit: PAGE })),
      ])
      return { key: keys.results[0]?.key ?? null, featured }
    },
  })
}

/** Public items of the project, newest first, with what is featured. Null while the project has no public key. */
function materialQuery(queries: QueryClient, ref: ProjectRef) {
  return infiniteQueryOptions({
    queryKey: ['widget-material', ref.project_id],
    queryFn: async ({ pageParam }) => {
      const { key, featured } = await readStart(queries, ref)
      if (key === null) return null
      return {
        page: await api.public.items.list({ public_key: key, limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) }),
        featured,
      }
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last?.page.next_cursor ?? null,
  })
}

/** Loads as much as these settings need, page by page. `data` is null while the project has no public key. */
export function useMaterial(ref: ProjectRef, fields: WidgetFields, isNeeded: boolean) {
  const queries = useQueryClient()
  const query = useInfiniteQuery({ ...materialQuery(queries, ref), enabled: isNeeded })
  const pages = query.data?.pages.filter((one) => one !== null)
  const hasMore = query.hasNextPage && (pages?.length ?? 0) < MAX_PAGES
  const material = pages && materialOf(pages, hasMore)
  const isShort = isNeeded && material != null && hasMore && !isEnough(material, fields) && !query.isFetching && !query.error
  const { fetchNextPage } = query
  useEffect(() => {
    if (isShort) void fetchNextPage()
  }, [isShort, fetchNextPage])
  return { data: material, error: query.error, refetch: query.refetch }
}

function materialOf(pages: readonly { page: PublicPage; featured: readonly Testimonial[] }[], hasMore: boolean): Material | null {
  const [first] = pages
  if (!first) return null
  const newest: readonly ShownItem[] = pages.flatMap(({ page }) => page.results)
  const known = new Set(newest.map(({ id }) => id))
  const older = first.featured.filter((one) => one.public && !known.has(one.id)).map((one) => ({ ...one, video: null }))
  const positions = first.featured.flatMap(({ id, position }): [string, number][] => (position === null ? [] : [[id, position]]))
  return { items: [...newest, ...older], aggregate: first.page.aggregate, positions: new Map(positions), hasMore }
}

/** Whether older items cannot change what is shown. */
function isEnough(material: Material, fields: WidgetFields): boolean {
  if (fields.layout === 'badge') return true
  const shown = chosenItems(material, fields)
  if (shown.length < fields.max_items) return false
  return fields.order !== 'rating' || shown.every(({ rating }) => rating === BEST)
}

const BEST = 5

/** The items that a widget with these settings shows, in its order, as the service chooses them. */
export function chosenItems({ items, positions }: Material, { layout, filter, order, max_items }: WidgetFields): ShownItem[] {
  if (layout === 'badge') return []
  const { tags, kinds, min_rating } = filter
  const shown = items.filter(
    (item) =>
      (tags.length === 0 || item.tags.some((tag) => tags.includes(tag))) &&
      (kinds.length === 0 || kinds.includes(item.kind)) &&
      (min_rating === null || (item.rating ?? 0) >= min_rating),
  )
  const rank = (item: ShownItem) => {
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
