import type { api, Output, Submission } from '../../web/src/dashboard/api.ts'
import type { Held } from '../../web/src/dashboard/inbox/held.ts'
import type { Change } from '../../web/src/dashboard/live/follow.ts'
import type { Survey } from '../../web/src/dashboard/surveys/queries.ts'

type Counts = Output<typeof api.submissions.counts>

export const TEAM = 'team-1'
export const PROJECT = 'project-1'
export const REF = { team_id: TEAM, project_id: PROJECT }
export const MADE_AT = '2026-11-03T09:00:00.000Z'
const NONE = { total: 0, pending: 0, approved: 0, rejected: 0 }

/** A submission that waits for a decision. */
export function submissionOf(fields: Partial<Submission> & { id: string }): Submission {
  return {
    ...{ ...REF, kind: 'text', state: 'pending', channel: 'public', title: null, body: `Words of ${fields.id}`, rating: 5 },
    author: { name: nameOf(fields.id), email: null, title: null, company: null, avatar_url: null, website_url: null },
    consent: { granted: true, text: null, granted_at: MADE_AT, revoked_at: null },
    source: { provider: null, url: null, collected_at: null },
    ...{ language: null, tags: [], external_id: null, metadata: {}, video_id: null, import_id: null },
    moderation: { by: null, at: null, reason: null },
    ...{ public: false, created_at: MADE_AT, updated_at: MADE_AT },
    ...fields,
  }
}

/** The name of the author of a submission: `Ada` of `ada`. */
function nameOf(id: string): string {
  return `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`
}

/** The figures of a project. */
export function countsOf(pending: number, approved = 0, rejected = 0): Counts {
  const counts = { total: pending + approved + rejected, pending, approved, rejected }
  return { ...counts, kinds: { text: counts, video: NONE, testimonial: NONE } }
}

/** A decision that is held. */
export function heldOf(fields: Partial<Held> & Pick<Held, 'submission'>): Held {
  return { action: 'approve', reason: null, press: 1, dueMs: 0, isSending: false, isTried: false, ...fields }
}

/** A change as the stream tells it. */
export function changeOf(submission_id: string, state: Change['state'], fields: Partial<Change> = {}): Change {
  return { type: typeOf(state), submission_id, kind: 'text', state, at: MADE_AT, ...fields }
}

function typeOf(state: Change['state']): Change['type'] {
  return state === 'pending' ? 'submission.created' : `submission.${state}`
}

/** A draft of a survey with a score and a question about it. */
export function surveyOf(fields: Partial<Survey> = {}): Survey {
  return {
    ...{ id: 'survey-1', ...REF, name: 'Launch', status: 'draft', version: 1 },
    questions: [
      {
        ...{ id: 'q-nps', type: 'nps', ref: 'nps', title: 'Would you recommend us?', description: null, required: false },
        ...{ low_label: null, high_label: null, show_if: null },
      },
      {
        ...{ id: 'q-why', type: 'long_text', ref: 'why', title: 'Why?', description: null, required: false, max_length: 10_000 },
        show_if: { match: 'all', rules: [{ ref: 'nps', op: 'lte', value: 6 }] },
      },
    ],
    ...{ language: 'en', translations: {}, thank_you_text: null, closes_at: null, response_limit: null },
    ...{ one_per_respondent: false, response_count: null, created_at: MADE_AT, updated_at: MADE_AT },
    ...fields,
  }
}
