import { z } from 'zod'
import { sizes } from './limits.ts'
import { NoContent, operation } from './operation.ts'
import { PROJECT, ProjectRef, PUBLIC } from './paths.ts'
import { ReviewsJsonLd } from './schemas/json-ld.ts'
import { Color, Id, listOf, Name, Page, Rating, Tag } from './schemas/primitives.ts'
import { SubmissionKind } from './schemas/submission.ts'
import { ThemeMode, Widget, WidgetLayout, WidgetOrder, WidgetTheme } from './schemas/widget.ts'
import { Aggregate, PublicItem } from './submissions/public.ts'

const WIDGET = `${PROJECT}/widgets/{widget_id}` as const
const WidgetRef = ProjectRef.extend({ widget_id: Id.meta({ description: 'The widget.' }) })

const name = Name.meta({ description: 'Name for your team.', example: 'Home page' })
const settings = {
  order: WidgetOrder.optional().meta({ description: 'Order of the items. Default `featured`.' }),
  max_items: z
    .int()
    .min(1)
    .max(sizes.widgetItems)
    .optional()
    .meta({ description: `The most items to show. Default ${sizes.widgetItemsDefault}.`, example: 20 }),
  filter: z
    .strictObject({
      tags: z.array(Tag).max(sizes.tags).optional().meta({ description: 'Only items with one of these tags; empty for all.' }),
      kinds: z
        .array(SubmissionKind)
        .max(SubmissionKind.options.length)
        .optional()
        .meta({ description: 'Only items of these kinds; empty for all.' }),
      min_rating: Rating.nullable().optional().meta({ description: 'Only items with at least this rating; null for all.' }),
    })
    .optional()
    .meta({ id: 'WidgetFilterChange', description: 'Which public items to show. Omitted fields stay unchanged.' }),
  theme: z
    .strictObject({ color: Color.nullable().optional(), mode: ThemeMode.optional() })
    .optional()
    .meta({ id: 'WidgetThemeChange', description: 'Changes to the look. Omitted fields stay unchanged.' }),
}

export const widgets = {
  list: operation({
    method: 'GET',
    path: `${PROJECT}/widgets/`,
    summary: 'List the widgets of a project',
    scope: 'read:widgets',
    role: 'viewer',
    input: ProjectRef.extend(Page.shape),
    output: listOf('Widget', Widget),
  }),
  create: operation({
    method: 'POST',
    path: `${PROJECT}/widgets/`,
    status: 201,
    summary: 'Create a widget',
    description: 'Anybody who has its id can read what it shows, which is public.',
    scope: 'write:widgets',
    role: 'member',
    input: ProjectRef.extend({ name, layout: WidgetLayout, ...settings }),
    output: Widget,
  }),
  retrieve: operation({
    method: 'GET',
    path: `${WIDGET}/`,
    summary: 'Retrieve a widget',
    scope: 'read:widgets',
    role: 'viewer',
    input: WidgetRef,
    output: Widget,
  }),
  update: operation({
    method: 'PATCH',
    path: `${WIDGET}/`,
    summary: 'Update a widget',
    description: 'Only the given fields change. Sites show the change with their next request.',
    scope: 'write:widgets',
    role: 'member',
    input: WidgetRef.extend({ name: name.optional(), layout: WidgetLayout.optional(), ...settings }),
    output: Widget,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${WIDGET}/`,
    summary: 'Delete a widget',
    description: 'Sites get 404 with their next request. The items stay.',
    scope: 'write:widgets',
    role: 'member',
    input: WidgetRef,
    output: NoContent,
  }),
}

const PublicWidget = z
  .object({
    id: Id,
    layout: WidgetLayout,
    theme: WidgetTheme,
    logo_url: z
      .string()
      .nullable()
      .meta({ description: 'Address of the copy of the logo of the project at this service; null without one.' }),
    has_badge: z.boolean().meta({ description: 'Whether the plan asks to say that the widget comes from Earshot.' }),
    items: z
      .array(
        PublicItem.extend({
          truncated: z.boolean().meta({ description: `Whether \`body\` is cut after ${sizes.widgetBodyCharacters} characters.` }),
        }).meta({
          id: 'WidgetItem',
          description: 'A published submission, as a widget shows it.',
        }),
      )
      .meta({ description: 'Items in their order. Empty for a badge.' }),
    aggregate: Aggregate,
    json_ld: ReviewsJsonLd,
  })
  .meta({ id: 'PublicWidget', description: 'What a site needs to show a widget.' })

/** Widgets for visitors, on the public plane. */
export const publicWidgets = {
  retrieve: operation({
    method: 'GET',
    path: `${PUBLIC}/widgets/{widget_id}/`,
    access: 'public',
    summary: 'Retrieve a widget to show it',
    description: `At most ${sizes.widgetBytes} bytes: items that do not fit are left out, the last first. Filters and \`rating\` look at the newest ${sizes.widgetScanRows} public items. Send the \`ETag\` back as \`If-None-Match\`, and an unchanged widget is 304. \`aggregate\` counts the whole project, regardless of filters.`,
    input: z.strictObject({ widget_id: Id.meta({ description: 'The widget.' }) }),
    output: PublicWidget,
  }),
}
