import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { columnsOf } from '../sql/columns.ts'
import { notFound } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { type SubmissionRow, submissions } from '../tables/submissions.ts'

/** A submission by its team, project and id. */
export interface SubmissionRef {
  team_id: string
  project_id: string
  submission_id: string
}

/** The condition on one submission that is not deleted. */
export function isSubmission(p: Parameters<SubmissionRef>) {
  return sql`team_id = ${p.team_id} and project_id = ${p.project_id} and id = ${p.submission_id} and deleted_at is null`
}

const find = statement<SubmissionRef, SubmissionRow>(
  (p) => sql`
  select ${columnsOf(submissions)}
    from ${submissions}
   where ${isSubmission(p)}`,
)

/** Returns a submission. Throws `not_found`. */
export async function findSubmission(tx: Tx, ref: SubmissionRef): Promise<SubmissionRow> {
  return (await find(tx, ref))[0] ?? notFound()
}
