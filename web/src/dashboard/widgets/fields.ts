import type { api, Item } from '../api.ts'

export type Widget = Item<typeof api.widgets.list>
/** What the form of a widget holds. */
export type WidgetFields = Pick<Widget, 'name' | 'layout' | 'order' | 'max_items' | 'filter' | 'theme'>

export const NEW_WIDGET: WidgetFields = {
  name: '',
  layout: 'wall',
  order: 'featured',
  max_items: 20,
  filter: { tags: [], kinds: [], min_rating: null },
  theme: { color: null, mode: 'auto' },
}

export const LAYOUTS = [
  { value: 'wall', label: 'Wall', hint: 'All words side by side, in columns.' },
  { value: 'carousel', label: 'Carousel', hint: 'A row that visitors scroll sideways.' },
  { value: 'badge', label: 'Badge', hint: 'The average rating and the number of reviews.' },
] as const
export const ORDERS = [
  { value: 'featured', label: 'Featured first, then the newest' },
  { value: 'newest', label: 'Newest first' },
  { value: 'rating', label: 'Best rated first' },
] as const
export const MODES = [
  { value: 'auto', label: 'As the visitor’s device' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const
export const KINDS = [
  { value: 'text', label: 'Texts of visitors' },
  { value: 'video', label: 'Videos' },
  { value: 'testimonial', label: 'Testimonials' },
] as const

/** The fields of a widget, without what the service adds. */
export function fieldsOf({ name, layout, order, max_items, filter, theme }: Widget): WidgetFields {
  return { name, layout, order, max_items, filter, theme }
}

export function isSame(one: WidgetFields, other: WidgetFields): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
