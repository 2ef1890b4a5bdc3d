/** The scores of the three groups of the Net Promoter Score. */
export const npsBounds = {
  promoters: { min_score: 9 },
  passives: { min_score: 7, max_score: 8 },
  detractors: { max_score: 6 },
} as const
