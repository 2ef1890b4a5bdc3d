/** The lowest score of promoters and of passives. Everyone below is a detractor. */
export const npsGroups = { promoter: 9, passive: 7 } as const

/** Answers to NPS questions, by group. */
export interface NpsCounts {
  promoters: number
  passives: number
  detractors: number
}

/** Groups answers by their score. */
export function countNps(answers: Iterable<{ score: number; count: number }>): NpsCounts {
  const counts = { promoters: 0, passives: 0, detractors: 0 }
  for (const { score, count } of answers) {
    if (score >= npsGroups.promoter) counts.promoters += count
    else if (score >= npsGroups.passive) counts.passives += count
    else counts.detractors += count
  }
  return counts
}

/** Returns the Net Promoter Score, −100 to 100 with one decimal, and the shares that it is made of. Null without answers. */
export function npsOf({ promoters, passives, detractors }: NpsCounts) {
  const answered = promoters + passives + detractors
  return {
    score: percentOf(promoters - detractors, answered),
    answered,
    ...{ promoters, passives, detractors },
    promoters_percent: percentOf(promoters, answered),
    passives_percent: percentOf(passives, answered),
    detractors_percent: percentOf(detractors, answered),
  }
}

/** Returns a share in percent with one decimal, halves away from zero; null of nothing. */
export function percentOf(part: number, whole: number): number | null {
  if (whole === 0) return null
  return (Math.sign(part) * Math.round((Math.abs(part) * 1_000) / whole)) / 10
}
