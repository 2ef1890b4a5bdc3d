import { sql } from 'drizzle-orm'

/** What the submissions of a day are counted by. */
export type Dimension = 'all' | 'state' | 'kind' | 'channel' | 'rating' | 'public' | 'moderated'

/**
 * The figures of a day that a change adds to: `dimension` and `value`, and a `number` to add up, which is 0 except for the
 * milliseconds to a decision. The change is named `c`. Every figure of a day is made of these.
 */
export const figuresOfChange = sql`
     cross join lateral (
             select *
               from (
                      values ('all', '', 0), ('state', c.state, 0), ('kind', c.kind, 0), ('channel', c.channel, 0),
                             ('rating', coalesce(c.rating::text, 'none'), 0),
                             ('public', case when c.is_public then '' end, 0),
                             ('moderated', case when c.moderation_ms is not null then '' end, c.moderation_ms)
                    ) f (dimension, value, number)
              where value is not null
           ) f`
