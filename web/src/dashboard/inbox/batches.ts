import type { Held } from './held.ts'

/** As many as the operation takes. */
const MAX_ITEMS = 100
const MAX_BYTES = 20_000
/** Requests that outlive a page may have 64 KiB together (Fetch standard, "keepalive"). */
const QUOTA_BYTES = 56_000
const ITEM_BYTES = 160

/** Divides decisions into those that one request takes: of one project, not too many and not too long. */
export function batchesOf(decisions: readonly Held[]): readonly (readonly Held[])[] {
  const batches: Held[][] = []
  for (const projectId of new Set(decisions.map(({ submission }) => submission.project_id))) {
    let batch: Held[] = []
    let bytes = 0
    for (const one of decisions.filter(({ submission }) => submission.project_id === projectId)) {
      const added = bytesOf(one)
      if (batch.length === MAX_ITEMS || (batch.length > 0 && bytes + added > MAX_BYTES)) {
        batches.push(batch)
        batch = []
        bytes = 0
      }
      batch.push(one)
      bytes += added
    }
    if (batch.length > 0) batches.push(batch)
  }
  return batches
}

/** Whether so many decisions can all be sent when the page is left. */
export function canLeaveWith(count: number): boolean {
  return count * ITEM_BYTES <= QUOTA_BYTES
}

/** Leaves out reasons for which there is no room: a decision is worth more than the reason of it. */
export function withinQuota(decisions: readonly Held[]): readonly Held[] {
  let leftBytes = QUOTA_BYTES - decisions.length * ITEM_BYTES
  return decisions.map((one) => {
    leftBytes -= bytesOf(one) - ITEM_BYTES
    return leftBytes >= 0 ? one : { ...one, reason: null }
  })
}

/** As JSON, which writes quotes and line breaks longer. */
function bytesOf({ reason }: Held): number {
  return ITEM_BYTES + new TextEncoder().encode(JSON.stringify(reason ?? '')).length
}
