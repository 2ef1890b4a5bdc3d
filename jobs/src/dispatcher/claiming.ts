import type { ClaimedDelivery, DeliveryClaims } from '@earshot/db/dispatch'
import { type DuePollOptions, startDuePoll } from './due-poll.ts'
import { createEarlyClaims } from './early-claims.ts'

export interface Claiming {
  /** What statements of this process may claim as they write it. */
  claims: DeliveryClaims
  /** A change of a team is committed, or of any team without one: deliveries may be due. */
  nudge: (teamId?: string | null) => void
  /** This endpoint has free slots again. */
  refill: (endpointId: string) => void
  /** Claims no more; resolves when all that was claimed is handed over. */
  stop: () => Promise<unknown>
}

/** Claims due deliveries: by polls and nudges, and those that this process writes as it writes them. */
export function startClaiming(options: DuePollOptions): Claiming {
  const { onClaiming, onClaimed } = options
  const early = createEarlyClaims({ ...options, isBehind: (endpointId) => poll.isBehind(endpointId), onReserving: onClaiming })
  const poll = startDuePoll({
    ...options,
    onClaimed(delivery: ClaimedDelivery, claimedAtMs: number) {
      early.served(delivery)
      onClaimed(delivery, claimedAtMs)
    },
  })
  return {
    claims: early,
    nudge: poll.nudge,
    refill: poll.refill,
    stop: () => Promise.all([early.close(), poll.stop()]),
  }
}
