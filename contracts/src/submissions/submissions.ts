import { z } from 'zod'
import { durations } from '../durations.ts'
import { errorCodes } from '../errors.ts'
import { sizes } from '../limits.ts'
import { NoContent, operation } from '../operation.ts'
import { PROJECT, ProjectRef } from '../paths.ts'
import { EXPORTING, exported } from '../schemas/export.ts'
import {
  Cursor,
  createdSpan,
  Id,
  listOf,
  Metadata,
  MetadataFilter,
  Rating,
  Reason,
  SEARCHING,
  Search,
  Tag,
  Tags,
  TimedPage,
  text,
} from '../schemas/primitives.ts'
import { expiryOf, STREAMING } from '../schemas/stream.ts'
import {
  AuthorInput,
  Channel,
  ConsentInput,
  newSubmission,
  SourceInput,
  Submission,
  SubmissionKind,
  SubmissionState,
} from '../schemas/submission.ts'
import { SubmissionChange } from '../schemas/submission-change.ts'
import { editorial } from '../schemas/testimonial.ts'

const SUBMISSION = `${PROJECT}/submissions/{submission_id}` as const
const SubmissionRef = ProjectRef.extend({ submission_id: Id.meta({ description: 'The submission.' }) })

const expectedState = SubmissionState.default('pending').meta({
  description: 'The state that you expect. If the state differs, the request returns 409 `state_conflict` with `current_state`.',
})
const reason = Reason.nullable().optional().meta({ description: 'Reason for the decision, for your team.' })
const decision = { expected_state: expectedState, reason }
const COMPARE_AND_SET =
  'Changes the state only if it equals `expected_state` (default `pending`). Repeating a decision has no effect, sends no event and is not an error. To reverse a decision, set `expected_state` to the current state.'

const byState = {
  total: z.int().meta({ description: 'All of them.', example: 12 }),
  pending: z.int().meta({ description: 'Those that wait for a moderator.', example: 2 }),
  approved: z.int().meta({ description: 'Those that were approved.', example: 9 }),
  rejected: z.int().meta({ description: 'Those that were rejected.', example: 1 }),
}
const CountsOfKind = z.object(byState).meta({ id: 'SubmissionCountsOfKind', description: 'Submissions of one kind, by state.' })
const SubmissionCounts = z
  .object({
    ...byState,
    kinds: z
      .object({ text: CountsOfKind, video: CountsOfKind, testimonial: CountsOfKind } satisfies Record<SubmissionKind, z.ZodType>)
      .meta({ id: 'SubmissionKindCounts', description: 'The same by kind.' }),
  })
  .meta({ id: 'SubmissionCounts', description: 'Submissions of a project, by state and kind.' })

const ModerationResult = z
  .object({
    submission_id: Id.meta({ description: 'Id from the request.' }),
    outcome: z.enum(['changed', 'unchanged', 'failed']).meta({ id: 'ModerationOutcome', description: 'Outcome for this submission.' }),
    submission: Submission.nullable(),
    error: z
      .object({
        code: z.enum(errorCodes).meta({ id: 'ErrorCode', description: 'Error code.' }),
        detail: z.string().meta({ description: 'Explanation for people.' }),
        current_state: SubmissionState.nullable(),
      })
      .meta({ id: 'ModerationError', description: 'Why a decision had no effect.' })
      .nullable()
      .meta({ description: 'The error, if it failed.' }),
  })
  .meta({ id: 'ModerationResult', description: 'The result for one submission.' })

/** What a list and an export can be narrowed to. */
const filters = {
  state: SubmissionState.optional(),
  kind: SubmissionKind.optional(),
  channel: Channel.optional(),
  tag: Tag.optional().meta({ description: 'Only submissions with this tag.' }),
  min_rating: Rating.optional().meta({ description: 'Only submissions with at least this rating.' }),
  external_id: text(200, 1).optional().meta({ description: 'Only the submission with this external id, your own.', example: 'A-1001' }),
  metadata: MetadataFilter.optional().meta({
    description: `Only submissions with these values in their metadata: \`metadata.plan=team\`, or \`metadata[plan]=team\`. Finds texts, numbers and booleans of at most ${sizes.metadataValueCharacters} characters, of the first ${sizes.metadataKeys} keys. At most ${sizes.metadataFilters} keys, and all must match.`,
  }),
  import_id: Id.optional().meta({ description: 'Only submissions that this import created.' }),
  has_video: z.boolean().optional().meta({ description: 'Only submissions with a video, or without one.' }),
  search: Search.optional().meta({
    description: `Only submissions with all these words, or parts of words, in title, body or author. ${SEARCHING}`,
  }),
}

/** A submission of any kind with what the team adds to a testimonial. */
export const ExportedSubmission = Submission.extend(editorial).meta({
  id: 'ExportedSubmission',
  description: 'A submission as an export shows it. What the team adds to testimonials is false or null for the others.',
})

export const submissions = {
  list: operation({
    method: 'GET',
    path: `${PROJECT}/submissions/`,
    summary: 'List the submissions of a project',
    description:
      'Newest first. With a selective filter or a search, a page can be short, even empty, before the last page, because each request examines a limited number of records.',
    scope: 'read:submissions',
    role: 'viewer',
    input: ProjectRef.extend({
      ...TimedPage.shape,
      ...filters,
    }),
    output: listOf('Submission', Submission),
  }),
  export: operation({
    method: 'GET',
    path: `${PROJECT}/submissions/export/`,
    stream: 'records',
    summary: 'Export the submissions of a project',
    description: `All kinds, with the filters of the list. ${EXPORTING}`,
    scope: 'read:submissions',
    role: 'member',
    input: ProjectRef.extend({ ...exported, ...createdSpan, ...filters }),
    output: ExportedSubmission,
  }),
  stream: operation({
    method: 'GET',
    path: `${PROJECT}/submissions/stream/`,
    stream: 'events',
    summary: 'Stream the changes of submissions',
    description: [
      `What changes in the submissions of a project, as server-sent events (WHATWG HTML, "Server-sent events"): \`event\` is the type, \`data\` the change, \`id\` a cursor of the feed. A change names the submission and its state, and nothing else of it: read the submission for more. Reconnecting clients resume from \`Last-Event-ID\`, which an \`EventSource\` sends by itself, or from \`cursor\`, without gaps or duplicates. Without either, the stream starts with new changes.`,
      `Every change counts: through any channel, by imports also where they suppress events, of tags, consent and videos, and by privacy requests. The changes of a submission come in their order. \`submission.updated\` means that something other than the state changed. Changes are kept for ${durations.eventDays} days. When a project is deleted, its stream ends.`,
      STREAMING,
      expiryOf('changes'),
    ].join('\n\n'),
    scope: 'read:submissions',
    role: 'viewer',
    errors: ['cursor_expired'],
    input: ProjectRef.extend({ cursor: Cursor.optional() }),
    output: SubmissionChange,
  }),
  counts: operation({
    method: 'GET',
    path: `${PROJECT}/submissions/counts/`,
    summary: 'Count the submissions of a project',
    description: 'Exact at the moment of the request. Deleted submissions are not counted.',
    scope: 'read:submissions',
    role: 'viewer',
    input: ProjectRef,
    output: SubmissionCounts,
  }),
  create: operation({
    method: 'POST',
    path: `${PROJECT}/submissions/`,
    status: 201,
    summary: 'Create a submission',
    description: 'The submission is pending until it is moderated. Its channel depends on the credential.',
    scope: 'write:submissions',
    role: 'member',
    quota: 'submissions',
    errors: ['already_exists'],
    input: ProjectRef.extend({
      ...newSubmission,
      author: AuthorInput,
      consent: ConsentInput.optional(),
      source: SourceInput.optional(),
      tags: Tags.optional(),
      external_id: text(200, 1).nullable().optional().meta({ description: 'Your own id, unique in the project.', example: 'A-1001' }),
    }),
    output: Submission,
  }),
  retrieve: operation({
    method: 'GET',
    path: `${SUBMISSION}/`,
    summary: 'Retrieve a submission',
    scope: 'read:submissions',
    role: 'viewer',
    input: SubmissionRef,
    output: Submission,
  }),
  update: operation({
    method: 'PATCH',
    path: `${SUBMISSION}/`,
    summary: 'Update the tags and metadata of a submission',
    description: 'JSON Merge Patch (RFC 7396). The text of a visitor cannot be changed.',
    scope: 'write:submissions',
    role: 'member',
    input: SubmissionRef.extend({
      tags: Tags.optional().meta({ description: 'Replaces all tags.' }),
      add_tags: Tags.optional().meta({ description: 'Tags to add.' }),
      remove_tags: Tags.optional().meta({ description: 'Tags to remove.' }),
      metadata: Metadata.optional().meta({ description: 'Merged into the current object; null removes a key.' }),
    }),
    output: Submission,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${SUBMISSION}/`,
    summary: 'Delete a submission',
    description: 'The submission disappears from every list at once.',
    scope: 'write:submissions',
    role: 'member',
    input: SubmissionRef,
    output: NoContent,
  }),
  approve: operation({
    method: 'POST',
    path: `${SUBMISSION}/approve/`,
    summary: 'Approve a submission',
    description: `${COMPARE_AND_SET} With consent, the submission becomes public at once. Sends \`submission.approved\`.`,
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
    description: `${COMPARE_AND_SET} The submission is no longer public, at once. Sends \`submission.rejected\`.`,
    scope: 'moderate:submissions',
    role: 'member',
    errors: ['state_conflict'],
    input: SubmissionRef.extend(decision),
    output: Submission,
  }),
  moderate: operation({
    method: 'POST',
    path: `${PROJECT}/submissions/moderate/`,
    summary: 'Approve and reject several submissions',
    description: `Moderates at most ${sizes.moderationItems} submissions, each independently, and returns one result for each item, in the same order.`,
    scope: 'moderate:submissions',
    role: 'member',
    input: ProjectRef.extend({
      items: z
        .array(
          z
            .strictObject({
              submission_id: Id.meta({ description: 'The submission.' }),
              action: z.enum(['approve', 'reject']).meta({ id: 'ModerationAction', description: 'The decision.' }),
              ...decision,
            })
            .meta({ id: 'ModerationItem', description: 'One decision.' }),
        )
        .min(1)
        .max(sizes.moderationItems)
        .meta({ description: `The decisions, at most ${sizes.moderationItems}.` }),
    }),
    output: z
      .object({ results: z.array(ModerationResult).meta({ description: 'Results, in the order of the items.' }) })
      .meta({ id: 'ModerationResults', description: 'One result for each item.' }),
  }),
}
