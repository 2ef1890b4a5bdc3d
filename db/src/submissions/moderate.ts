import { ApiError, type SubmissionState } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { type Actor, type ActorValues, actorRow, actorValues } from '../sql/actor.ts'
import { columnsOf } from '../sql/columns.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { type SubmissionRow, submissions } from '../tables/submissions.ts'
import type { SubmissionRef } from './find.ts'

export interface Decision {
  to: 'approved' | 'rejected'
  expected_state: SubmissionState
  reason?: string | null | undefined
}

/** `unchanged`: the submission is in that state already. */
type ModeratedRow = SubmissionRow & { outcome: 'changed' | 'unchanged' | 'conflict' | 'not_found' }

const moderate = statement<ActorValues & SubmissionRef & Required<Decision>, ModeratedRow>(
  (p) => sql`
  select r.outcome, ${columnsOf(submissions, '(r.submission)')}
    from moderate_submission(
      ${actorRow(p)}, ${p.team_id}::uuid, ${p.project_id}::uuid, ${p.submission_id}, ${p.to}, ${p.expected_state}, ${p.reason}
    ) r`,
)

/** Approves or rejects a submission that is in the expected state. Throws `not_found`, and `state_conflict` with the state found. */
export async function moderateSubmission(tx: Tx, actor: Actor, ref: SubmissionRef, decision: Decision): Promise<ModeratedRow> {
  const row = onlyOne(await moderate(tx, { ...actorValues(actor), ...ref, ...decision, reason: decision.reason ?? null }))
  if (row.outcome === 'not_found') notFound()
  if (row.outcome === 'conflict') throw new ApiError('state_conflict', { current_state: row.state })
  return row
}

type ManyValues = ActorValues & { team_id: string; project_id: string; items: string }

const moderateMany = statement<ManyValues, ModeratedRow & { item_number: number }>(
  (p) => sql`
  select r.item_number, r.outcome, ${columnsOf(submissions, '(r.submission)')}
    from moderate_submissions(${actorRow(p)}, ${p.team_id}::uuid, ${p.project_id}::uuid, ${p.items}::jsonb) r`,
)

/** Moderates many submissions in one statement, each independently; returns a row for each item, in their order. */
export async function moderateSubmissions(
  tx: Tx,
  actor: Actor,
  project: { team_id: string; project_id: string },
  items: (Decision & { submission_id: string })[],
): Promise<ModeratedRow[]> {
  return moderateMany(tx, { ...actorValues(actor), ...project, items: JSON.stringify(items) })
}
