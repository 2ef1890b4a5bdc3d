/** Durations up to this have a bucket each, in milliseconds. */
const EXACT_MS = 20
/** Each further bucket ends this much later than the one before. */
const GROWTH = 1.09
/** Half an hour; no attempt takes longer. */
const LAST_BUCKET = 152

/** Returns the bucket by which a duration is counted. */
export function latencyBucketOf(durationMs: number): number {
  if (durationMs <= EXACT_MS) return Math.max(0, durationMs)
  return Math.min(LAST_BUCKET, EXACT_MS + Math.ceil(Math.log(durationMs / EXACT_MS) / Math.log(GROWTH)))
}

/**
 * Returns a percentile of durations from the number in each bucket: at most 5 % beside the smallest duration that so many percent
 * of them do not exceed. Null without any.
 */
export function latencyPercentile(counts: readonly number[], percent: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = Math.ceil((percent * total) / 100)
  let seen = 0
  const bucket = counts.findIndex((count) => {
    seen += count
    return seen >= rank
  })
  return durationOf(bucket)
}

/** The duration that is beside both ends of a bucket by the same share. */
function durationOf(bucket: number): number {
  if (bucket <= EXACT_MS) return bucket
  return Math.round((2 * EXACT_MS * GROWTH ** (bucket - EXACT_MS)) / (GROWTH + 1))
}
