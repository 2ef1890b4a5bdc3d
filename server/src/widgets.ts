import { contracts, type Widget } from '@earshot/contracts'
import {
  createWidget,
  deleteWidget,
  findWidget,
  listWidgets,
  toTimestamp,
  updateWidget,
  type WidgetFields,
  type WidgetRow,
} from '@earshot/db'
import type { z } from 'zod'
import { implement } from './http/implement.ts'

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
