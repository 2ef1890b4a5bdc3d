import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { columnsOf } from '../sql/columns.ts'
import { notFound } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { type SubmissionRow, submissions } from '../tables/submissions.ts'

const revoke = statement<{ revokeTokenHash: Buffer }, SubmissionRow>(
  (p) => sql`
  select ${columnsOf(submissions)}
    from revoke_consent(${p.revokeTokenHash})`,
)

/** Withdraws the author's consent with the token of the receipt. Throws `not_found` for an unknown token. */
export async function revokeConsent(tx: Tx, revokeTokenHash: Buffer): Promise<SubmissionRow> {
  return (await revoke(tx, { revokeTokenHash }))[0] ?? notFound()
}
