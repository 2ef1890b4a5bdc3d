import { z } from 'zod'
import { ContactEmail, CreatedAt, Id, timestamp, UpdatedAt } from './primitives.ts'

export const SubmissionState = z
  .enum(['pending', 'approved', 'rejected'])
  .meta({ id: 'SubmissionState', description: 'Moderation state. Everything arrives pending.', example: 'pending' })
export type SubmissionState = z.infer<typeof SubmissionState>

export const SubmissionKind = z
  .enum(['text', 'video', 'testimonial'])
  .meta({ id: 'SubmissionKind', description: 'What was left; a testimonial was created by the team itself.', example: 'text' })
export type SubmissionKind = z.infer<typeof SubmissionKind>

export const Channel = z
  .enum(['public', 'api', 'mcp', 'import', 'dashboard'])
  .meta({ id: 'Channel', description: 'How it arrived.', example: 'public' })
export type Channel = z.infer<typeof Channel>

const Author = z
  .object({
    name: z.string().meta({ description: 'Name of the person.', example: 'Ada Lovelace' }),
    email: ContactEmail,
    title: z.string().nullable().meta({ description: 'What the person is.', example: 'CTO' }),
    company: z.string().nullable().meta({ description: 'Where the person works.', example: 'Analytical Engines' }),
    avatar_url: z.string().nullable().meta({ description: 'Picture.' }),
    website_url: z.string().nullable().meta({ description: 'Home page.' }),
  })
  .meta({ id: 'Author', description: 'Who left the words.' })

export const Consent = z
  .object({
    granted: z.boolean().meta({ description: 'Whether the person agreed to publication.' }),
    text: z.string().nullable().meta({ description: 'What the person agreed to.' }),
    granted_at: timestamp('When consent was given.').nullable(),
    revoked_at: timestamp('When consent was withdrawn.').nullable(),
  })
  .meta({ id: 'Consent', description: "The person's consent to publication." })

const Source = z
  .object({
    provider: z.string().nullable().meta({ description: 'Where it was first published.', example: 'g2' }),
    url: z.string().nullable().meta({ description: 'Address of the original.' }),
    collected_at: timestamp('When it was taken over.').nullable(),
  })
  .meta({ id: 'Source', description: 'Where the words come from.' })

const Moderation = z
  .object({
    by: Id.nullable().meta({ description: 'The person who decided.' }),
    at: timestamp('When.').nullable(),
    reason: z.string().nullable().meta({ description: 'Why, in the words of the person who decided.' }),
  })
  .meta({ id: 'Moderation', description: 'The last decision.' })

export const Submission = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns it.' }),
    project_id: Id.meta({ description: 'The project that it belongs to.' }),
    kind: SubmissionKind,
    state: SubmissionState,
    channel: Channel,
    title: z.string().nullable().meta({ description: 'Headline.' }),
    body: z.string().meta({ description: 'The words.', example: 'Saved us a week.' }),
    rating: z.int().nullable().meta({ description: 'Stars, 1 to 5.' }),
    author: Author,
    consent: Consent,
    source: Source,
    language: z.string().nullable().meta({ description: 'BCP 47 language tag.' }),
    tags: z.array(z.string()).meta({ description: 'Labels.' }),
    external_id: z.string().nullable().meta({ description: 'Your own id, unique in the project.' }),
    metadata: z.record(z.string(), z.unknown()).meta({ description: 'Your own JSON object.' }),
    video_id: Id.nullable().meta({ description: 'The video, if it is one.' }),
    import_id: Id.nullable().meta({ description: 'The import that brought it.' }),
    moderation: Moderation,
    public: z.boolean().meta({ description: 'Derived: approved, consent granted and not withdrawn.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Submission', description: 'Words, a video or a testimonial, with its moderation state.' })
export type Submission = z.infer<typeof Submission>
