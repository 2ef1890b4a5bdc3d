/** Returns the median; of an even number of figures, the lower one in the middle. */
export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

/** Returns the smallest figure that at least this share of all figures does not exceed. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}
