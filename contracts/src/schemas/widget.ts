import { z } from 'zod'
import { CreatedAt, Id, Rating, UpdatedAt } from './primitives.ts'
import { SubmissionKind } from './submission.ts'

export const WidgetLayout = z.enum(['wall', 'carousel', 'badge']).meta({
  id: 'WidgetLayout',
  description: 'How to show the items. A badge shows count and average rating, and no items.',
  example: 'wall',
})
export const WidgetOrder = z.enum(['featured', 'newest', 'rating']).meta({
  id: 'WidgetOrder',
  description:
    '`featured`: the featured items by their `position`, then the newest. `newest`: the newest first. `rating`: the best rated first, the newest of them first.',
  example: 'featured',
})
export const ThemeMode = z
  .enum(['auto', 'light', 'dark'])
  .meta({ id: 'ThemeMode', description: 'Colour scheme; `auto` follows the visitor.', example: 'auto' })

const WidgetFilter = z
  .object({
    tags: z.array(z.string()).meta({ description: 'Only items with one of these tags; empty for all.', example: ['launch'] }),
    kinds: z.array(SubmissionKind).meta({ description: 'Only items of these kinds; empty for all.', example: ['text'] }),
    min_rating: Rating.nullable().meta({ description: 'Only items with at least this rating; null for all.', example: 4 }),
  })
  .meta({ id: 'WidgetFilter', description: 'Which public items a widget shows.' })

export const WidgetTheme = z
  .object({
    color: z.string().nullable().meta({ description: 'Accent colour.', example: '#3366ff' }),
    mode: ThemeMode,
  })
  .meta({ id: 'WidgetTheme', description: 'Look of the widget.' })

export const Widget = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team.' }),
    project_id: Id.meta({ description: 'The project whose public items it shows.' }),
    name: z.string().meta({ description: 'Name for your team.', example: 'Home page' }),
    layout: WidgetLayout,
    order: WidgetOrder,
    max_items: z.int().meta({ description: 'The most items that it shows.', example: 20 }),
    filter: WidgetFilter,
    theme: WidgetTheme,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Widget', description: 'A widget shows the public items of a project on a website.' })
export type Widget = z.infer<typeof Widget>
