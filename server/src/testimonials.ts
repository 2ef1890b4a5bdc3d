import { contracts, type Testimonial } from '@earshot/contracts'
import {
  createSubmission,
  deleteSubmission,
  findSubmission,
  type ListedSubmission,
  listSubmissions,
  testimonialFields,
  updateSubmission,
} from '@earshot/db'
import { implement } from './http/implement.ts'
import { channelOf } from './submissions/channel.ts'
import { presentExported } from './submissions/columns.ts'

const kind = 'testimonial' as const

export const testimonials = implement(contracts.testimonials, {
  list: ({ ctx, input }) => listSubmissions(ctx.tx, { ...input, kind }, { searchEmail: ctx.seesContacts }, presentTestimonial),
  create: async ({ ctx, input }) => {
    const { team_id, project_id, ...fields } = input
    const columns = { ...testimonialFields(fields), channel: channelOf(ctx) }
    return presentTestimonial(await createSubmission(ctx.tx, { team_id, project_id }, columns, ctx.actor))
  },
  retrieve: async ({ ctx, input }) => presentTestimonial(await findSubmission(ctx.tx, refOf(input))),
  update: async ({ ctx, input }) => presentTestimonial(await updateSubmission(ctx.tx, ctx.actor, refOf(input), input)),
  delete: ({ ctx, input }) => deleteSubmission(ctx.tx, ctx.actor, refOf(input)),
})

function refOf({ team_id, project_id, testimonial_id }: { team_id: string; project_id: string; testimonial_id: string }) {
  return { team_id, project_id, submission_id: testimonial_id, kind }
}

function presentTestimonial(row: ListedSubmission): Testimonial {
  return { ...presentExported(row), kind }
}
