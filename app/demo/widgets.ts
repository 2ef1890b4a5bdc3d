import { createWidget } from '@earshot/db'
import type { DemoPlace } from './place.ts'

/** Adds a widget of each of three layouts. */
export async function fillWidgets({ tx, ids, admin }: DemoPlace): Promise<void> {
  await createWidget(tx, admin, ids, { name: 'Badge in the footer', layout: 'badge' })
  await createWidget(tx, admin, ids, { name: 'Carousel on the pricing page', layout: 'carousel', max_items: 8, filter_min_rating: 4 })
  await createWidget(tx, admin, ids, { name: 'Wall of stories', layout: 'wall', max_items: 30, theme_color: '#2457c5' })
}
