import { z } from 'zod'

const SHARE = { description: 'Their share in percent, with one decimal; null without answers.', example: 62.5 }

export const Percent = z.number().min(0).max(100).nullable()

/** Output: the Net Promoter Score of some answers. */
export const nps = {
  score: z
    .number()
    .min(-100)
    .max(100)
    .nullable()
    .meta({ description: '100 × (promoters − detractors) / answered, with one decimal; null without answers.', example: 37.5 }),
  answered: z.int().meta({ description: 'Number of answers.', example: 8 }),
  promoters: z.int().meta({ description: 'Answers of 9 and 10.', example: 5 }),
  passives: z.int().meta({ description: 'Answers of 7 and 8.', example: 1 }),
  detractors: z.int().meta({ description: 'Answers of 0 to 6.', example: 2 }),
  promoters_percent: Percent.meta(SHARE),
  passives_percent: Percent.meta({ ...SHARE, example: 12.5 }),
  detractors_percent: Percent.meta({ ...SHARE, example: 25 }),
}

export const Nps = z.object(nps).meta({ id: 'Nps', description: 'A Net Promoter Score.' })

const Day = z.iso.date()

/** A calendar day, as output. */
export function day(description: string) {
  return Day.meta({ description, example: '2026-11-20' })
}

/** The range of days that figures are about. */
export const dayRange = {
  from: day('First day, in the time zone of the team. Figures are by the day on which a record arrived.').optional(),
  to: day('Last day.').optional(),
}
