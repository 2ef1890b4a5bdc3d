import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { unnumbered_events } from '../tables/events.ts'
import { image_copies } from '../tables/image-copies.ts'
import { search_lists } from '../tables/search.ts'
import { submission_feed_waiting } from '../tables/submission-feed.ts'
import { submission_changes, tag_changes } from '../tables/submissions.ts'
import { response_changes } from '../tables/surveys.ts'
import { videos } from '../tables/videos.ts'
import { isPendingInOrder, webhook_attempt_changes, webhook_deliveries } from '../tables/webhooks.ts'
import { isWaitingVideo } from '../videos/transcodes.ts'

/** What waits for a worker. */
export interface WaitingWork {
  /** Deliveries are due. */
  deliveries: boolean
  /** Events, or changes of submissions, have no place in their feed yet. */
  events: boolean
  /** Figures have changes that are not in their totals. */
  figures: boolean
  /** Deliveries are held. */
  held: boolean
  /** Images are to be copied. */
  images: boolean
  /** Jobs of the queue are due: how many, up to a maximum. */
  jobs: number
  /** Lists are to be indexed for searches. */
  searches: boolean
  /** Videos wait for their transcode. */
  videos: boolean
}

const find = statement<{ max_jobs: number }, WaitingWork>(
  (p) => sql`
  select exists (select from ${webhook_deliveries} d where ${isPendingInOrder} and d.next_attempt_at <= now()) as deliveries,
         exists (select from ${unnumbered_events}) or exists (select from ${submission_feed_waiting}) as events,
         exists (select from ${submission_changes}) or exists (select from ${tag_changes})
           or exists (select from ${response_changes}) or exists (select from ${webhook_attempt_changes}) as figures,
         exists (select from ${webhook_deliveries} d where d.is_held) as held,
         exists (select from ${image_copies} i where i.state = 'pending' and i.due_at <= now()) as images,
         ready_jobs(${p.max_jobs}) as jobs,
         exists (select from ${search_lists} where due_at <= now()) as searches,
         exists (select from ${videos} v where ${isWaitingVideo}) as videos`,
)

/** Finds what waits, of all that workers look for, in one statement. `maxJobs` is the most jobs that one worker runs at once. */
export async function findWaitingWork(tx: Tx, { maxJobs }: { maxJobs: number }): Promise<WaitingWork> {
  return onlyOne(await find(tx, { max_jobs: maxJobs }))
}
