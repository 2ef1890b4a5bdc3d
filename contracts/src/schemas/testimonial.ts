import { z } from 'zod'
import { strangersWords } from './primitives.ts'
import { Submission } from './submission.ts'

const MAX_POSITION = 1_000_000

/** The place of a testimonial among the featured ones. A fraction fits between any two others, which stay as they are. */
export const Position = z
  .number()
  .min(-MAX_POSITION)
  .max(MAX_POSITION)
  .meta({ description: 'Sorts the featured testimonials, smallest first; null comes last. Fractions are allowed.', example: 1.5 })

/** What the team adds to a testimonial. */
export const editorial = {
  featured: z.boolean().meta({ description: 'Whether the team featured it.' }),
  excerpt: z.string().nullable().meta({ description: 'A verbatim part of the body.' }).register(strangersWords),
  position: Position.nullable(),
}

export const Testimonial = Submission.extend({
  kind: z.literal('testimonial').meta({ description: 'Always testimonial.' }),
  ...editorial,
}).meta({ id: 'Testimonial', description: 'A submission that the team created. It is the same record with the same id.' })
export type Testimonial = z.infer<typeof Testimonial>
