import { z } from 'zod'
import { Id, timestamp } from './primitives.ts'
import { SubmissionKind, SubmissionState } from './submission.ts'

const SubmissionChangeType = z
  .enum(['submission.created', 'submission.approved', 'submission.rejected', 'submission.updated', 'submission.deleted'])
  .meta({ id: 'SubmissionChangeType', description: 'What happened to the submission.', example: 'submission.approved' })

const SubmissionChangeState = z.enum([...SubmissionState.options, 'deleted']).meta({
  id: 'SubmissionChangeState',
  description: 'Moderation state after the change; `deleted` if the submission no longer exists.',
  example: 'approved',
})

export const SubmissionChange = z
  .object({
    type: SubmissionChangeType,
    submission_id: Id.meta({ description: 'The submission.' }),
    kind: SubmissionKind,
    state: SubmissionChangeState,
    at: timestamp('Time of the change.'),
  })
  .meta({ id: 'SubmissionChange', description: 'A change of a submission: of its state, its content or its existence.' })
export type SubmissionChange = z.infer<typeof SubmissionChange>
