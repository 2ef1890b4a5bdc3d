import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import type { ProjectRef } from '../projects.ts'
import { statement } from '../sql/statement.ts'
import { submissions } from '../tables/submissions.ts'

/** When a submission was decided on; null for one that was not. */
interface PastDecision {
  submission_id: string
  decided_at: string | null
}

// The triggers of the table note what changes in the figures of the day, as they do for every update.
const date = statement<ProjectRef & { decisions: string }, never>(
  (p) => sql`
  update ${submissions} s
     set moderated_at = d.decided_at, updated_at = coalesce(d.decided_at, uuid_extract_timestamp(s.id))
    from jsonb_to_recordset(${p.decisions}::jsonb) as d (submission_id uuid, decided_at timestamptz)
   where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.id = d.submission_id
     and (s.moderated_at is null) = (d.decided_at is null)`,
)

/**
 * Dates the last change of submissions of an earlier time, which were created and decided on in the same transaction. Otherwise
 * the time to a decision would be their age. The events and the audit log keep the time at which they were written.
 */
export async function datePastDecisions(tx: Tx, { team_id, project_id }: ProjectRef, decisions: readonly PastDecision[]): Promise<void> {
  await date(tx, { team_id, project_id, decisions: JSON.stringify(decisions) })
}
