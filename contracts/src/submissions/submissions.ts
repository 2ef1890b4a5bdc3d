import { z } from 'zod'
import { errorCodes } from '../errors.ts'
import { sizes } from '../limits.ts'
import { NoContent, operation } from '../operation.ts'
import { PROJECT, ProjectRef } from '../paths.ts'
import {
  Body,
  EmailInput,
  HttpUrl,
  Id,
  instant,
  Language,
  listOf,
  Metadata,
  Name,
  Rating,
  Reason,
  Tag,
  Tags,
  TimedPage,
  Title,
  text,
} from '../schemas/primitives.ts'
import { Channel, Submission, SubmissionKind, SubmissionState } from '../schemas/submission.ts'

const SUBMISSION = `${PROJECT}/submissions/{submission_id}` as const
const SubmissionRef = ProjectRef.extend({ submission_id: Id.meta({ description: 'The submission.' }) })

const AuthorInput = z
  .strictObject({
    name: Name.meta({ description: 'Name of the person.', example: 'Ada Lovelace' }),
    email: EmailInput.nullable().optional(),
    title: text(200).nullable().optional().meta({ description: 'What the person is.', example: 'CTO' }),
    company: text(200).nullable().optional().meta({ description: 'Where the person works.', example: 'Analytical Engines' }),
    avatar_url: HttpUrl.nullable().optional().meta({ description: 'Picture.' }),
    website_url: HttpUrl.nullable().optional().meta({ description: 'Home page.' }),
  })
  .meta({ id: 'AuthorInput', description: 'Who left the words.' })

const ConsentInput = z
  .strictObject({
    granted: z.boolean().meta({ description: 'Whether the person agreed to publication.' }),
    text: text(2_000).nullable().optional().meta({ description: 'What the person agreed to.', example: 'You may publish this.' }),
    granted_at: instant('When consent was given; now if absent.').nullable().optional(),
  })
  .meta({ id: 'ConsentInput', description: "The person's consent to publication." })

const SourceInput = z
  .strictObject({
    provider: text(100).nullable().optional().meta({ description: 'Where it was first published.', example: 'g2' }),
    url: HttpUrl.nullable().optional().meta({ description: 'Address of the original.' }),
    collected_at: instant('When it was taken over.').nullable().optional(),
  })
  .meta({ id: 'SourceInput', description: 'Where the words come from.' })

const expectedState = SubmissionState.default('pending').meta({
  description: 'The state that you saw. If it is another by now, the answer is 409 `state_conflict` with `current_state`.',
})
const reason = Reason.nullable().optional().meta({ description: 'Why, for your team.' })
const decision = { expected_state: expectedState, reason }
const COMPARE_AND_SET =
  'Compare-and-set on `expected_state` (`pending` unless said). Repeating a decision that stands changes nothing, fires no event and is no error. To take back a decision, name the state that you saw.'

const ModerationResult = z
  .object({
    submission_id: Id.meta({ description: 'As you gave it.' }),
    outcome: z.enum(['changed', 'unchanged', 'failed']).meta({ description: 'What happened to this one.' }),
    submission: Submission.nullable(),
    error: z
      .object({
        code: z.enum(errorCodes).meta({ description: 'A code of the error table.' }),
        detail: z.string().meta({ description: 'For people.' }),
        current_state: SubmissionState.nullable(),
      })
      .nullable()
      .meta({ id: 'ModerationError', description: 'Why it failed.' }),
  })
  .meta({ id: 'ModerationResult', description: 'The result for one submission.' })

export const submissions = {
  list: operation({
    method: 'GET',
    path: `${PROJECT}/submissions/`,
    summary: 'List the submissions of a project',
    description:
      'Newest first. With rare filters or a search a page may be short, even empty, while `next_cursor` goes on: each request looks at a bounded number of records.',
    scope: 'read:submissions',
    role: 'viewer',
    input: ProjectRef.extend({
      ...TimedPage.shape,
      state: SubmissionState.optional(),
      kind: SubmissionKind.optional(),
      channel: Channel.optional(),
      tag: Tag.optional().meta({ description: 'Only what carries this tag.' }),
      min_rating: Rating.optional().meta({ description: 'Only what has at least so many stars.' }),
      has_video: z.boolean().optional().meta({ description: 'Only what has, or has not, a video.' }),
      search: text(200, 1).optional().meta({
        description: 'Only what contains this text in title, body or author (the e-mail address only with read:contacts).',
      }),
    }),
    output: listOf('Submission', Submission),
  }),
  create: operation({
    method: 'POST',
    path: `${PROJECT}/submissions/`,
    status: 201,
    summary: 'Create a submission',
    description: 'Pending like all others. The channel follows from the credential.',
    scope: 'write:submissions',
    role: 'member',
    quota: 'submissions',
    errors: ['already_exists'],
    input: ProjectRef.extend({
      kind: z.literal('text').default('text').meta({ description: 'Words.' }),
      title: Title.nullable().optional().meta({ description: 'Headline.' }),
      body: Body.meta({ description: 'The words.', example: 'Saved us a week.' }),
      rating: Rating.nullable().optional(),
      author: AuthorInput,
      consent: ConsentInput.optional(),
      source: SourceInput.optional(),
      language: Language.nullable().optional(),
      tags: Tags.optional(),
      external_id: text(200, 1).nullable().optional().meta({ description: 'Your own id, unique in the project.', example: 'A-1001' }),
      metadata: Metadata.optional(),
    }),
    output: Submission,
  }),
  retrieve: operation({
    method: 'GET',
    path: `${SUBMISSION}/`,
    summary: 'Show a submission',
    scope: 'read:submissions',
    role: 'viewer',
    input: SubmissionRef,
    output: Submission,
  }),
  update: operation({
    method: 'PATCH',
    path: `${SUBMISSION}/`,
    summary: "Change a submission's tags and metadata",
    description: 'JSON Merge Patch (RFC 7396). The words of a visitor are never edited.',
    scope: 'write:submissions',
    role: 'member',
    input: SubmissionRef.extend({
      tags: Tags.optional().meta({ description: 'Replaces the whole list.' }),
      metadata: Metadata.optional().meta({ description: 'Merged into the present object; null removes a key (RFC 7396).' }),
    }),
    output: Submission,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${SUBMISSION}/`,
    summary: 'Delete a submission',
    description: 'It is gone from every list at once.',
    scope: 'write:submissions',
    role: 'member',
    input: SubmissionRef,
    output: NoContent,
  }),
  approve: operation({
    method: 'POST',
    path: `${SUBMISSION}/approve/`,
    summary: 'Approve a submission',
    description: `${COMPARE_AND_SET} With consent it becomes public at once; \`submission.approved\` fires.`,
    scope: 'moderate:submissions',
    role: 'member',
    errors: ['state_conflict'],
    input: SubmissionRef.extend(decision),
    output: Submission,
  }),
  reject: operation({
    method: 'POST',
    path: `${SUBMISSION}/reject/`,
    summary: 'Reject a submission',
    description: `${COMPARE_AND_SET} It leaves every public payload at once; \`submission.rejected\` fires.`,
    scope: 'moderate:submissions',
    role: 'member',
    errors: ['state_conflict'],
    input: SubmissionRef.extend(decision),
    output: Submission,
  }),
  moderate: operation({
    method: 'POST',
    path: `${PROJECT}/submissions/moderate/`,
    summary: 'Approve and reject many submissions',
    description: 'At most 100, each on its own: one result each, in the order of the items.',
    scope: 'moderate:submissions',
    role: 'member',
    input: ProjectRef.extend({
      items: z
        .array(
          z
            .strictObject({
              submission_id: Id.meta({ description: 'The submission.' }),
              action: z.enum(['approve', 'reject']).meta({ description: 'What to do.' }),
              ...decision,
            })
            .meta({ id: 'ModerationItem', description: 'One decision.' }),
        )
        .min(1)
        .max(sizes.moderationItems)
        .meta({ description: 'The decisions, at most 100.' }),
    }),
    output: z
      .object({ results: z.array(ModerationResult).meta({ description: 'In the order of the items.' }) })
      .meta({ id: 'ModerationResults', description: 'One result for each item.' }),
  }),
}
