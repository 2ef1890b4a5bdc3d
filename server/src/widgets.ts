import { contracts, planIncludes, sizes, type Widget } from '@earshot/contracts'
import {
  createWidget,
  deleteWidget,
  findWidget,
  listWidgets,
  type PublicWidgetRow,
  readPublicWidget,
  toTimestamp,
  updateWidget,
  type WidgetFields,
  type WidgetItemRow,
  type WidgetRow,
} from '@earshot/db'
import type { z } from 'zod'
import { implement } from './http/implement.ts'
import { presentFigures, presentItem } from './submissions/public.ts'

type PublicWidget = z.output<typeof contracts.public.widgets.retrieve.output>
type Item = PublicWidget['items'][number]
type Review = PublicWidget['json_ld']['review'][number]

const BEST = 5
const WORST = 1

export const widgets = implement(contracts.widgets, {
  list: ({ ctx, input }) => listWidgets(ctx.tx, input, presentWidget),
  create: async ({ ctx, input }) => {
    const { name, layout } = input
    return presentWidget(await createWidget(ctx.tx, ctx.actor, input, { ...fieldsOf(input), name, layout }))
  },
  retrieve: async ({ ctx, input }) => presentWidget(await findWidget(ctx.tx, input)),
  update: async ({ ctx, input }) => presentWidget(await updateWidget(ctx.tx, ctx.actor, input, fieldsOf(input))),
  delete: ({ ctx, input }) => deleteWidget(ctx.tx, ctx.actor, input),
})

export const publicWidgets = implement(contracts.public.widgets, {
  retrieve: async ({ ctx, input }) => {
    const { team_id, project_id } = ctx.project
    const rows = await readPublicWidget(ctx.tx, { team_id, project_id, widget_id: input.widget_id })
    const [{ layout, theme_color, theme_mode, plan, project_name, project_url }] = rows
    const aggregate = presentFigures(ctx.project)
    const { rated_count } = ctx.project
    const widget: PublicWidget = {
      id: input.widget_id,
      layout,
      theme: { color: theme_color, mode: theme_mode },
      has_badge: !planIncludes(plan, 'widgets_without_badge'),
      items: [],
      aggregate,
      json_ld: {
        '@context': 'https://schema.org',
        '@type': 'Product',
        name: project_name,
        ...(project_url !== null && { url: project_url }),
        ...(aggregate.average_rating !== null && {
          aggregateRating: {
            '@type': 'AggregateRating',
            ratingValue: aggregate.average_rating,
            ratingCount: rated_count,
            bestRating: BEST,
            worstRating: WORST,
          },
        }),
        review: [],
      },
    }
    addItems(widget, rows)
    return widget
  },
})

/** Adds as many items, in their order, as the payload has room for, with the reviews of the first rated ones. */
function addItems(widget: PublicWidget, rows: PublicWidgetRow[]): void {
  const { items, json_ld } = widget
  const { review: reviews } = json_ld
  let bytes = bytesOf(widget)
  for (const row of rows) {
    if (row.id === null) return
    const item = presentWidgetItem(row)
    const review = reviews.length < sizes.widgetReviews ? reviewOf(item) : null
    bytes += bytesOf(item) + (review ? bytesOf(review) : 0)
    if (bytes > sizes.widgetBytes) return
    items.push(item)
    if (review) reviews.push(review)
  }
}

/** Returns the size of a value in a JSON list. */
function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value)) + ','.length
}

function presentWidgetItem(row: WidgetItemRow): Item {
  return { ...presentItem(row), truncated: row.truncated }
}

function reviewOf({ rating, author, published_at, excerpt, body }: Item): Review | null {
  if (rating === null) return null
  return {
    '@type': 'Review',
    author: { '@type': 'Person', name: author.name },
    datePublished: published_at.slice(0, 'YYYY-MM-DD'.length),
    reviewBody: beginningOf(excerpt ?? body),
    reviewRating: { '@type': 'Rating', ratingValue: rating, bestRating: BEST, worstRating: WORST },
  }
}

/** Cuts between code points: half of a surrogate pair is no text. */
function beginningOf(text: string): string {
  return Array.from(text).slice(0, sizes.widgetReviewCharacters).join('')
}

type WidgetInput = Pick<z.output<typeof contracts.widgets.update.input>, 'name' | 'layout' | 'order' | 'max_items' | 'filter' | 'theme'>

/** Returns the columns of the given fields. Absent ones stay unchanged. */
function fieldsOf({ name, layout, order, max_items, filter = {}, theme = {} }: WidgetInput): WidgetFields {
  const given = {
    name,
    layout,
    item_order: order,
    max_items,
    filter_tags: filter.tags && [...new Set(filter.tags)],
    filter_kinds: filter.kinds && [...new Set(filter.kinds)],
    filter_min_rating: filter.min_rating,
    theme_color: theme.color,
    theme_mode: theme.mode,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function presentWidget(row: WidgetRow): Widget {
  return {
    id: row.id,
    team_id: row.team_id,
    project_id: row.project_id,
    name: row.name,
    layout: row.layout,
    order: row.item_order,
    max_items: row.max_items,
    filter: { tags: row.filter_tags, kinds: row.filter_kinds, min_rating: row.filter_min_rating },
    theme: { color: row.theme_color, mode: row.theme_mode },
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
