import { setTimeout as delay } from 'node:timers/promises'
import { createImport, type Database, findImport, listSubmissions, moderateSubmissions, type Tx } from '@earshot/db'
import type { DemoPlace } from './place.ts'
import { REVIEWS_CSV } from './reviews.ts'

type Place = Omit<DemoPlace, 'tx'>

const LOOK_MS = 50
/** How many of its rows the member approves; the others wait. */
const APPROVED = 10

/**
 * Imports a file of reviews as anybody does: a worker reads it, at once if there is one. Returns the id of the import once that has ended,
 * or the wait is over: then the demo goes on without its rows.
 */
export async function importReviews(database: Database, { ids, admin }: Place, longestWaitMs: number): Promise<string> {
  const { id } = await createImport(database, admin, ids, {
    ...{ target: 'testimonials', file_name: 'trustpilot-reviews.csv', source: { csv: REVIEWS_CSV } },
    consent: { granted: true, text: 'Northlight may show my review on its own pages.', granted_at: null },
    ...{ mapping: {}, date_order: null, rating_scale: null, dedupe_by: null, mode: 'create', dry_run: false, suppress_events: false },
  })
  const untilMs = performance.now() + longestWaitMs
  const hasEnded = async () => (await findImport(database, { ...ids, import_id: id })).finished_at !== null
  while (!(await hasEnded()) && performance.now() < untilMs) await delay(LOOK_MS)
  return id
}

/** Approves most of the imported reviews. */
export async function approveReviews(tx: Tx, { ids, member }: Place, import_id: string): Promise<void> {
  const { results } = await listSubmissions(tx, { ...ids, import_id, limit: APPROVED }, { searchEmail: false }, ({ id }) => id)
  const items = results.map((submission_id) => ({ submission_id, to: 'approved' as const, expected_state: 'pending' as const }))
  await moderateSubmissions(tx, member, ids, items)
}
