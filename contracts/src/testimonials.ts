import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { PROJECT, ProjectRef } from './paths.ts'
import { Body, Id, listOf } from './schemas/primitives.ts'
import { ConsentInput } from './schemas/submission.ts'
import { Position, Testimonial } from './schemas/testimonial.ts'
import { submissions } from './submissions/submissions.ts'

const TESTIMONIAL = `${PROJECT}/testimonials/{testimonial_id}` as const
const TestimonialRef = ProjectRef.extend({ testimonial_id: Id.meta({ description: 'The testimonial.' }) })

const { kind: _kind, ...filters } = submissions.list.input.shape
const { kind: _always, ...newTestimonial } = submissions.create.input.shape
const { tags, metadata } = submissions.update.input.shape

const curation = {
  featured: z.boolean().optional().meta({ description: 'Whether widgets show it first.' }),
  excerpt: Body.nullable()
    .optional()
    .meta({ description: 'The part of the body to show. Must be a verbatim part of it.', example: 'a week' }),
  position: Position.nullable().optional(),
}

export const testimonials = {
  list: operation({
    method: 'GET',
    path: `${PROJECT}/testimonials/`,
    summary: 'List the testimonials of a project',
    description: 'Newest first. The same records are also among the submissions.',
    scope: 'read:testimonials',
    role: 'viewer',
    input: ProjectRef.extend({
      ...filters,
      featured: z.boolean().optional().meta({ description: 'Only featured testimonials, or only the others.' }),
    }),
    output: listOf('Testimonial', Testimonial),
  }),
  create: operation({
    method: 'POST',
    path: `${PROJECT}/testimonials/`,
    status: 201,
    summary: 'Create a testimonial',
    description:
      'For what a customer told you elsewhere. It is a submission of kind `testimonial`: pending until it is approved, and public only with consent. Sends `submission.created` and `testimonial.created`.',
    scope: 'write:testimonials',
    role: 'member',
    quota: 'submissions',
    errors: ['already_exists'],
    input: ProjectRef.extend({ ...newTestimonial, ...curation }),
    output: Testimonial,
  }),
  retrieve: operation({
    method: 'GET',
    path: `${TESTIMONIAL}/`,
    summary: 'Retrieve a testimonial',
    scope: 'read:testimonials',
    role: 'viewer',
    input: TestimonialRef,
    output: Testimonial,
  }),
  update: operation({
    method: 'PATCH',
    path: `${TESTIMONIAL}/`,
    summary: 'Update a testimonial',
    description:
      "JSON Merge Patch (RFC 7396). The customer's text cannot be changed. Consent that you receive later is recorded here; it takes effect at once.",
    scope: 'write:testimonials',
    role: 'member',
    input: TestimonialRef.extend({ ...curation, consent: ConsentInput.optional(), tags, metadata }),
    output: Testimonial,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${TESTIMONIAL}/`,
    summary: 'Delete a testimonial',
    description: 'The testimonial disappears from every list at once.',
    scope: 'write:testimonials',
    role: 'member',
    input: TestimonialRef,
    output: NoContent,
  }),
}
