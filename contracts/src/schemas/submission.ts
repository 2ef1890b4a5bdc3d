import { z } from 'zod'
import {
  Body,
  ContactEmail,
  CreatedAt,
  EmailInput,
  HttpUrl,
  Id,
  instant,
  Language,
  Metadata,
  Name,
  Rating,
  strangersWords,
  Title,
  text,
  timestamp,
  UpdatedAt,
} from './primitives.ts'

export const SubmissionState = z
  .enum(['pending', 'approved', 'rejected'])
  .meta({ id: 'SubmissionState', description: 'Moderation state. New submissions are pending.', example: 'pending' })
export type SubmissionState = z.infer<typeof SubmissionState>

export const SubmissionKind = z
  .enum(['text', 'video', 'testimonial'])
  .meta({ id: 'SubmissionKind', description: 'Kind of submission. Testimonials are created by the team.', example: 'text' })
export type SubmissionKind = z.infer<typeof SubmissionKind>

export const Channel = z
  .enum(['public', 'api', 'mcp', 'import', 'dashboard'])
  .meta({ id: 'Channel', description: 'Channel through which it arrived.', example: 'public' })
export type Channel = z.infer<typeof Channel>

const Author = z
  .object({
    name: z.string().meta({ description: 'Name of the person.', example: 'Ada Lovelace' }).register(strangersWords),
    email: ContactEmail,
    title: z.string().nullable().meta({ description: 'Job title of the person.', example: 'CTO' }).register(strangersWords),
    company: z.string().nullable().meta({ description: 'Company of the person.', example: 'Analytical Engines' }).register(strangersWords),
    avatar_url: z.string().nullable().meta({ description: 'Address of the picture, as your team gave it.' }),
    website_url: z.string().nullable().meta({ description: 'Website of the person.' }),
  })
  .meta({ id: 'Author', description: 'The author of the submission.' })

export const Consent = z
  .object({
    granted: z.boolean().meta({ description: 'Whether the person consented to publication.' }),
    text: z.string().nullable().meta({ description: 'Text that the person consented to.' }).register(strangersWords),
    granted_at: timestamp('Time when consent was given.').nullable(),
    revoked_at: timestamp('Time when consent was withdrawn.').nullable(),
  })
  .meta({ id: 'Consent', description: "The person's consent to publication." })

const Source = z
  .object({
    provider: z.string().nullable().meta({ description: 'Site where it was first published.', example: 'g2' }),
    url: z.string().nullable().meta({ description: 'Address of the original.' }),
    collected_at: timestamp('Time when it was collected.').nullable(),
  })
  .meta({ id: 'Source', description: 'Origin of the submission.' })

const Moderation = z
  .object({
    by: Id.nullable().meta({ description: 'The person who made the decision.' }),
    at: timestamp('Time of the decision.').nullable(),
    reason: z.string().nullable().meta({ description: 'Reason for the decision.' }),
  })
  .meta({ id: 'Moderation', description: 'The last moderation decision.' })

export const Submission = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns the record.' }),
    project_id: Id.meta({ description: 'The project of the record.' }),
    kind: SubmissionKind,
    state: SubmissionState,
    channel: Channel,
    title: z.string().nullable().meta({ description: 'Headline.' }).register(strangersWords),
    body: z.string().meta({ description: 'The text.', example: 'Saved us a week.' }).register(strangersWords),
    rating: z.int().nullable().meta({ description: 'Stars, 1 to 5.' }),
    author: Author,
    consent: Consent,
    source: Source,
    language: z.string().nullable().meta({ description: 'BCP 47 language tag.' }),
    tags: z.array(z.string()).meta({ description: 'Tags.' }),
    external_id: z.string().nullable().meta({ description: 'Your own id, unique in the project.' }),
    metadata: z.record(z.string(), z.unknown()).meta({ description: 'Your own JSON object.' }).register(strangersWords),
    video_id: Id.nullable().meta({ description: 'The video, if any.' }),
    import_id: Id.nullable().meta({ description: 'The import that created it, if any.' }),
    moderation: Moderation,
    public: z.boolean().meta({ description: 'Whether it is public: approved, with consent that was not withdrawn.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Submission', description: 'Text, a video or a testimonial, with its moderation state.' })
export type Submission = z.infer<typeof Submission>

/** The fields that everyone who creates a submission may set, a visitor or the team. */
export const newSubmission = {
  kind: z.literal('text').default('text').meta({ description: 'Kind of submission.' }),
  title: Title.nullable().optional().meta({ description: 'Headline.' }),
  body: Body.meta({ description: 'The text.', example: 'Saved us a week.' }),
  rating: Rating.nullable().optional(),
  language: Language.nullable().optional(),
  metadata: Metadata.optional(),
}

export const AuthorInput = z
  .strictObject({
    name: Name.meta({ description: 'Name of the person.', example: 'Ada Lovelace' }),
    email: EmailInput.nullable().optional(),
    title: text(200).nullable().optional().meta({ description: 'Job title of the person.', example: 'CTO' }),
    company: text(200).nullable().optional().meta({ description: 'Company of the person.', example: 'Analytical Engines' }),
    avatar_url: HttpUrl.nullable().optional().meta({
      description: 'Address of the picture. Once the submission is public, the service copies it, and shows the copy.',
    }),
    website_url: HttpUrl.nullable().optional().meta({ description: 'Website of the person.' }),
  })
  .meta({ id: 'AuthorInput', description: 'The author of the submission.' })

export const ConsentInput = z
  .strictObject({
    granted: z.boolean().meta({ description: 'Whether the person consented to publication.' }),
    text: text(2_000).nullable().optional().meta({ description: 'Text that the person consented to.', example: 'You may publish this.' }),
    granted_at: instant('Time when consent was given. Defaults to now.').nullable().optional(),
  })
  .meta({ id: 'ConsentInput', description: "The person's consent to publication." })

export const SourceInput = z
  .strictObject({
    provider: text(100).nullable().optional().meta({ description: 'Site where it was first published.', example: 'g2' }),
    url: HttpUrl.nullable().optional().meta({ description: 'Address of the original.' }),
    collected_at: instant('Time when it was collected.').nullable().optional(),
  })
  .meta({ id: 'SourceInput', description: 'Origin of the submission.' })
