/** What a worker of this process may claim while it is written, without a claim of its own. */
export interface DeliveryClaims {
  /** Reserves slots for what a statement with up to `count` events writes; null without any. */
  reserve(count: number): Reservation | null
}

interface Reservation {
  /** The slots, as `emit_and_claim()` takes them. */
  text: string
  /** Frees the slots when the statement has ended, and sends what it claimed: nothing if it failed. */
  settle(claimed: readonly unknown[]): void
}

/** A row of a statement that may claim: one of its rows has what was claimed. */
interface ClaimingRow {
  claimed: readonly unknown[] | null
}

/**
 * Runs a statement that may claim what it writes up to `count` events. There are no claims in a transaction: what is sent must be
 * committed when the statement returns.
 */
export async function withClaims<Row extends ClaimingRow>(
  claims: DeliveryClaims | undefined,
  count: number,
  run: (claims: string | null) => Promise<Row[]>,
): Promise<Row[]> {
  const reservation = claims?.reserve(count)
  if (!reservation) return run(null)
  let claimed: readonly unknown[] = []
  try {
    const rows = await run(reservation.text)
    claimed = rows.flatMap((row) => row.claimed ?? [])
    return rows
  } finally {
    reservation.settle(claimed)
  }
}
