import { contracts, errorRow, type SubmissionKind } from '@earshot/contracts'
import {
  countSubmissions,
  createSubmission,
  deleteSubmission,
  findSubmission,
  listSubmissions,
  moderateSubmission,
  moderateSubmissions,
  readSubmissionFeed,
  readSubmissionFeedEnds,
  type SubmissionChangeRow,
  type SubmissionCount,
  submissionFields,
  toTimestamp,
  updateSubmission,
} from '@earshot/db'
import { EXPORT_PAGE, implement } from '../http/implement.ts'
import { channelOf } from './channel.ts'
import { presentExported, presentSubmission } from './columns.ts'

/** How many changes a stream reads at once. */
const STREAM_PAGE = 100

const stateAfter = { approve: 'approved', reject: 'rejected' } as const

export const submissions = implement(contracts.submissions, {
  list: ({ ctx, input }) => listSubmissions(ctx.tx, input, { searchEmail: ctx.seesContacts }, presentSubmission),
  export: ({ ctx, input: { format: _format, ...query } }) =>
    listSubmissions(ctx.tx, { ...query, limit: EXPORT_PAGE }, { searchEmail: ctx.seesContacts }, presentExported),
  stream: async ({ ctx, input }) => {
    if (input.cursor !== undefined) return readSubmissionFeed(ctx.tx, { ...input, limit: STREAM_PAGE }, presentChange)
    const ends = await readSubmissionFeedEnds(ctx.tx, [ctx.project])
    return { results: [], next_cursor: ends.get(ctx.project.project_id) ?? '' }
  },
  counts: async ({ ctx, input }) => presentCounts(await countSubmissions(ctx.tx, input)),
  create: async ({ ctx, input }) => {
    const { team_id, project_id, ...fields } = input
    const columns = { ...submissionFields(fields), channel: channelOf(ctx) }
    return presentSubmission(await createSubmission(ctx.tx, { team_id, project_id }, columns, ctx.actor))
  },
  retrieve: async ({ ctx, input }) => presentSubmission(await findSubmission(ctx.tx, input)),
  update: async ({ ctx, input }) => {
    const { tags, add_tags: addTags, remove_tags: removeTags, metadata, ...ref } = input
    return presentSubmission(await updateSubmission(ctx.tx, ctx.actor, ref, { tags, addTags, removeTags, metadata }))
  },
  delete: ({ ctx, input }) => deleteSubmission(ctx.tx, ctx.actor, input),
  approve: async ({ ctx, input }) =>
    presentSubmission(await moderateSubmission(ctx.tx, ctx.actor, input, { ...decisionOf(input), to: 'approved' })),
  reject: async ({ ctx, input }) =>
    presentSubmission(await moderateSubmission(ctx.tx, ctx.actor, input, { ...decisionOf(input), to: 'rejected' })),
  moderate: async ({ ctx, input }) => {
    const { team_id, project_id } = input
    const items = input.items.map((item) => ({ ...decisionOf(item), submission_id: item.submission_id, to: stateAfter[item.action] }))
    const rows = await moderateSubmissions(ctx.tx, ctx.actor, { team_id, project_id }, items)
    return { results: rows.map((row, index) => presentResult(row, input.items[index]?.submission_id ?? '')) }
  },
})

function presentChange({ submission_id, kind, state, change, changed_at }: SubmissionChangeRow, cursor: string) {
  return { cursor, data: { type: `submission.${change}` as const, submission_id, kind, state, at: toTimestamp(changed_at) } }
}

function presentCounts(counts: SubmissionCount[]) {
  const of = (kind: SubmissionKind) => sumsOf(counts.filter((row) => row.kind === kind))
  return { ...sumsOf(counts), kinds: { text: of('text'), video: of('video'), testimonial: of('testimonial') } }
}

function sumsOf(counts: SubmissionCount[]) {
  const sums = { total: 0, pending: 0, approved: 0, rejected: 0 }
  for (const { state, count } of counts) {
    sums.total += count
    sums[state] += count
  }
  return sums
}

function decisionOf({
  expected_state,
  reason,
}: {
  expected_state: 'pending' | 'approved' | 'rejected'
  reason?: string | null | undefined
}) {
  return { expected_state, reason: reason ?? null }
}

type ModeratedRow = Awaited<ReturnType<typeof moderateSubmissions>>[number]

function presentResult(row: ModeratedRow, submission_id: string) {
  const { outcome } = row
  if (outcome === 'changed' || outcome === 'unchanged') return { submission_id, outcome, submission: presentSubmission(row), error: null }
  const code = outcome === 'conflict' ? 'state_conflict' : 'not_found'
  return {
    submission_id,
    outcome: 'failed' as const,
    submission: null,
    error: { code, detail: errorRow(code).detail, current_state: outcome === 'conflict' ? row.state : null } as const,
  }
}
