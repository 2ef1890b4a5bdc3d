import { z } from 'zod'
import { Submission } from './submission.ts'

export const Testimonial = Submission.extend({
  kind: z.literal('testimonial').meta({ description: 'The team itself created it.' }),
  featured: z.boolean().meta({ description: 'Whether it is shown first.' }),
  excerpt: z.string().nullable().meta({ description: 'A part of the body, word for word.' }),
  position: z.int().nullable().meta({ description: 'Its place among the others.' }),
}).meta({ id: 'Testimonial', description: 'A submission that the team itself created: the same record, under the same id.' })
