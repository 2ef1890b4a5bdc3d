import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'

/** How many were numbered: none also while another worker does it. */
export interface Numbered {
  events: number
  /** Changes of submissions. */
  changes: number
}

const number = statement<{ max: number }, Numbered>(
  (p) => sql`
  select events, changes
    from number_events(${p.max}::int) as events
   cross join number_submission_feed(${p.max}::int) as changes`,
)

/** Gives up to `max` committed events, and changes of submissions, the next positions of their feeds. */
export async function numberFeeds(tx: Tx, { max }: { max: number }): Promise<Numbered> {
  return onlyOne(await number(tx, { max }))
}
