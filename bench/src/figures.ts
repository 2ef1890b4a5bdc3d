/** The middle of the figures; of an even number the lower one. */
export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

/** The figure that a share of all figures does not exceed. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}
