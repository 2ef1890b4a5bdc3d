import { createHash } from 'node:crypto'
import { ApiError, type SubmissionState } from '@earshot/contracts'
import { type Database, deleteSubmission, moderateSubmission, moderateSubmissions, revokeConsent } from '@earshot/db'
import fc from 'fast-check'

const MAX_ITEMS = 6
const MODERATOR = { userId: null, credentialId: null, credentialKind: 'model', ip: null }

/** Calls name submissions by their index in the run. */
interface Decision {
  submission: number
  to: 'approved' | 'rejected'
  expected_state: SubmissionState
}

export type Call =
  | { kind: 'single'; decision: Decision }
  | { kind: 'bulk'; decisions: Decision[] }
  | { kind: 'revoke' | 'delete'; submission: number }

/** The result of one call for one submission. */
export interface CallResult extends Partial<Decision> {
  kind: 'moderate' | 'revoke' | 'delete'
  submission: number
  outcome: 'changed' | 'unchanged' | 'conflict' | 'not_found'
  /** The state in the result. */
  state: SubmissionState | null
}

interface Ref {
  team_id: string
  project_id: string
  submission_id: string
}

/** Any call of a moderator or of the submitter. Deletions are rarer, because they end a run. */
export function anyCall(submissions: number): fc.Arbitrary<Call> {
  const submission = fc.nat({ max: submissions - 1 })
  const decision = fc.record<Decision>({
    submission,
    to: fc.constantFrom('approved', 'rejected'),
    expected_state: fc.constantFrom('pending', 'approved', 'rejected'),
  })
  return fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('single' as const), decision }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('bulk' as const),
        decisions: fc.array(decision, { minLength: 1, maxLength: MAX_ITEMS }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('revoke' as const), submission }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), submission }) },
  )
}

/** The revoke token of a submission’s receipt, by its index in the run. */
export function revokeTokenHash(run: string, submission: number): Buffer {
  return createHash('sha256').update(`${run} ${submission}`).digest()
}

/** Makes the call and returns its results. Throws anything but the documented outcomes. */
export async function perform(database: Database, { run, refs }: { run: string; refs: Ref[] }, call: Call): Promise<CallResult[]> {
  const refOf = (submission: number) => refs[submission] as Ref
  if (call.kind === 'bulk') {
    const { team_id, project_id } = refOf(0)
    const items = call.decisions.map((decision) => ({ ...decision, submission_id: refOf(decision.submission).submission_id }))
    const rows = await moderateSubmissions(database, MODERATOR, { team_id, project_id }, items)
    return call.decisions.map((decision, index) => {
      const row = rows[index]
      return { ...decision, kind: 'moderate', outcome: row?.outcome ?? 'not_found', state: row?.state ?? null }
    })
  }
  if (call.kind === 'single') {
    const result = await outcomeOf(moderateSubmission(database, MODERATOR, refOf(call.decision.submission), call.decision))
    return [{ ...call.decision, kind: 'moderate', ...result }]
  }
  const { kind, submission } = call
  const work =
    kind === 'delete'
      ? deleteSubmission(database, MODERATOR, refOf(submission))
      : revokeConsent(database, revokeTokenHash(run, submission)).then(() => {})
  return [{ kind, submission, ...(await outcomeOf(work.then(() => ({ outcome: 'changed' as const, state: null })))) }]
}

async function outcomeOf(work: Promise<Pick<CallResult, 'outcome' | 'state'>>): Promise<Pick<CallResult, 'outcome' | 'state'>> {
  try {
    const { outcome, state } = await work
    return { outcome, state }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'not_found') return { outcome: 'not_found', state: null }
    if (error.code !== 'state_conflict') throw error
    return { outcome: 'conflict', state: error.fields.current_state as SubmissionState }
  }
}
