import type { SubmissionKind } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { columnsOf } from '../sql/columns.ts'
import { notFound } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { type SubmissionRow, submissions } from '../tables/submissions.ts'

/** A submission by its team, project and id; one of another kind is not found. */
export interface SubmissionRef {
  team_id: string
  project_id: string
  submission_id: string
  kind?: SubmissionKind | null
}

/** The values of statements on one submission. */
export type SubmissionRefValues = Required<SubmissionRef>

/** Returns the values of a reference. */
export function refValues({ team_id, project_id, submission_id, kind = null }: SubmissionRef): SubmissionRefValues {
  return { team_id, project_id, submission_id, kind }
}

/** The condition on one submission that is not deleted. */
export function isSubmission(p: Parameters<SubmissionRefValues>) {
  return sql`team_id = ${p.team_id} and project_id = ${p.project_id} and id = ${p.submission_id}
     and kind = coalesce(${p.kind}::text, kind) and deleted_at is null`
}

const find = statement<SubmissionRefValues, SubmissionRow>(
  (p) => sql`
  select ${columnsOf(submissions)}
    from ${submissions}
   where ${isSubmission(p)}`,
)

/** Returns a submission. Throws `not_found`. */
export async function findSubmission(tx: Tx, ref: SubmissionRef): Promise<SubmissionRow> {
  return (await find(tx, refValues(ref)))[0] ?? notFound()
}
