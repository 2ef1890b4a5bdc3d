import type { contracts } from '@earshot/contracts'
import type { z } from 'zod'
import { inUtc } from '../sql/timestamps.ts'
import type { NewSubmission } from './create.ts'

type Input = Omit<z.output<typeof contracts.submissions.create.input>, 'team_id' | 'project_id' | 'kind'> & Pick<NewSubmission, 'kind'>

/** Returns the columns of a new submission, whoever creates it. Fields that a visitor cannot set are absent there. */
export function submissionFields({ author, consent, source, ...fields }: Input): Omit<NewSubmission, 'channel'> {
  return {
    kind: fields.kind,
    title: fields.title ?? null,
    body: fields.body,
    rating: fields.rating ?? null,
    author_name: author.name,
    author_email: author.email ?? null,
    author_title: author.title ?? null,
    author_company: author.company ?? null,
    author_avatar_url: author.avatar_url ?? null,
    author_website_url: author.website_url ?? null,
    consent_granted: consent?.granted ?? false,
    consent_text: consent?.text ?? null,
    consent_granted_at: inUtc(consent?.granted_at ?? null),
    source_provider: source?.provider ?? null,
    source_url: source?.url ?? null,
    source_collected_at: inUtc(source?.collected_at ?? null),
    language: fields.language ?? null,
    tags: fields.tags ?? [],
    external_id: fields.external_id ?? null,
    metadata: fields.metadata ?? {},
  }
}

type TestimonialInput = Omit<z.output<typeof contracts.testimonials.create.input>, 'team_id' | 'project_id'>

/** Returns the columns of a new testimonial, whoever creates it. */
export function testimonialFields({ featured, excerpt, position, ...fields }: TestimonialInput): Omit<NewSubmission, 'channel'> {
  return {
    ...submissionFields({ ...fields, kind: 'testimonial' }),
    featured: featured ?? false,
    excerpt: excerpt ?? null,
    position: position ?? null,
  }
}
