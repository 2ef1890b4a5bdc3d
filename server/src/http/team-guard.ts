import { ForeignRowError, type Tx } from '@earshot/db'

/**
 * Returns an executor that refuses rows of other teams. Statements find rows through their team already; this is a second,
 * independent check, of the rows themselves.
 */
export function guardTeam(tx: Tx, teamId: string): Tx {
  const guard = (inner: Tx) => guardTeam(inner, teamId)
  const check = (row: unknown) => {
    if (isForeign(row, teamId)) throw new ForeignRowError('A statement returned a row of another team')
  }
  return {
    ...(tx.request && { request: { ...tx.request, check } }),
    async run<Row>(text: string, params: readonly unknown[]) {
      const rows = await tx.run<Row>(text, params)
      for (const row of rows) check(row)
      return rows
    },
    attempt: (work) => tx.attempt((inner) => work(guard(inner))),
    transaction: (work) => tx.transaction((inner) => work(guard(inner))),
  }
}

/** Rows without a team, such as a count, belong to none. */
function isForeign(row: unknown, teamId: string): boolean {
  const { team_id } = row as { team_id?: unknown }
  return team_id !== undefined && team_id !== null && team_id !== teamId
}
