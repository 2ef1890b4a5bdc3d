import { contracts, planIncludes, sizes } from '@earshot/contracts'
import { type PublicWidgetRow, readPublicWidget, type WidgetItemRow } from '@earshot/db'
import type { z } from 'zod'
import { implement } from './http/implement.ts'
import { imageUrl } from './media/images.ts'
import type { MediaSigner } from './media/links.ts'
import { presentFigures, presentItem } from './submissions/public.ts'

type PublicWidget = z.output<typeof contracts.public.widgets.retrieve.output>
type Item = PublicWidget['items'][number]
type Review = PublicWidget['json_ld']['review'][number]

const BEST = 5
const WORST = 1

export const publicWidgets = implement(contracts.public.widgets, {
  retrieve: async ({ ctx, input }) => {
    const { team_id, project_id } = ctx.project
    const rows = await readPublicWidget(ctx.tx, { team_id, project_id, widget_id: input.widget_id })
    const [{ layout, theme_color, theme_mode, plan, project_name, project_url, logo_version }] = rows
    const aggregate = presentFigures(ctx.project)
    const { rated_count } = ctx.project
    const widget: PublicWidget = {
      id: input.widget_id,
      layout,
      theme: { color: theme_color, mode: theme_mode },
      logo_url: imageUrl(ctx.services, { team_id, owner_id: project_id, version: logo_version }),
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
    addItems(widget, rows, ctx.services)
    return widget
  },
})

/** Adds as many items, in their order, as the payload has room for, with the reviews of the first rated ones. */
function addItems(widget: PublicWidget, rows: PublicWidgetRow[], signer: MediaSigner): void {
  const { items, json_ld } = widget
  const { review: reviews } = json_ld
  let bytes = bytesOf(widget)
  for (const row of rows) {
    if (row.id === null) return
    const item = presentWidgetItem(row, signer)
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

function presentWidgetItem(row: WidgetItemRow & { team_id: string }, signer: MediaSigner): Item {
  return { ...presentItem(row, signer), truncated: row.truncated }
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
