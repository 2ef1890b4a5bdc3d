import { z } from 'zod'
import { Submission } from './submission.ts'

export const Testimonial = Submission.extend({
  kind: z.literal('testimonial').meta({ description: 'Always testimonial.' }),
  featured: z.boolean().meta({ description: 'Whether the team featured it.' }),
  excerpt: z.string().nullable().meta({ description: 'A verbatim part of the body.' }),
  position: z.int().nullable().meta({ description: 'Position among the testimonials.' }),
}).meta({ id: 'Testimonial', description: 'A submission that the team created. It is the same record with the same id.' })
