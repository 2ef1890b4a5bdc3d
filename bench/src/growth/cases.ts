import { listSubmissions, moderateSubmission, type SubmissionFilters, type Tx } from '@earshot/db'
import type { Ground } from './databases.ts'

/** What is asked of both databases, and what its growth may cost. */
export interface Question {
  name: string
  /** At most so much slower than in the small database, or at most so long. */
  goal: { growth: number } | { ms: number }
  ask: (tx: Tx, ground: Ground, run: number) => Promise<unknown>
}

const PAGE = { limit: 25 }
const ACTOR = { userId: null, credentialId: null, credentialKind: 'bench', ip: null }
const FLAT = { growth: 1.2 }
const STATE = { growth: 1.35 }
const BOUNDED = { ms: 10 }
const DAY_MS = 86_400_000

/** The cursor of a page that begins below a record. */
const cursorOf = ({ middle }: Ground) => Buffer.from(middle.id.replaceAll('-', ''), 'hex').toString('base64url')

export const questions: Question[] = [
  { name: 'list', goal: FLAT, ask: list({}) },
  { name: 'kind', goal: FLAT, ask: list({ kind: 'video' }) },
  { name: 'tag', goal: FLAT, ask: list({ tag: 'launch' }) },
  { name: 'time', goal: FLAT, ask: (tx, ground) => list({ ...spanOf(ground) })(tx, ground) },
  { name: 'deep cursor', goal: FLAT, ask: (tx, ground) => list({ cursor: cursorOf(ground) })(tx, ground) },
  { name: 'approve', goal: FLAT, ask: approve },
  {
    name: 'public list',
    goal: FLAT,
    ask: (tx, { team }) => listSubmissions(tx, { ...placeOf(team), ...PAGE }, { publicOnly: true }, idOf),
  },
  { name: 'state', goal: STATE, ask: list({ state: 'rejected' }) },
  { name: 'state and kind', goal: BOUNDED, ask: list({ state: 'pending', kind: 'video' }) },
  { name: 'tag and state', goal: BOUNDED, ask: list({ tag: 'launch', state: 'rejected' }) },
  { name: 'rare tag and state', goal: BOUNDED, ask: list({ tag: 'rare', state: 'rejected' }) },
  { name: 'channel', goal: BOUNDED, ask: list({ channel: 'import' }) },
  { name: 'stars', goal: BOUNDED, ask: list({ min_rating: 5 }) },
  { name: 'with video', goal: BOUNDED, ask: list({ has_video: true }) },
  { name: 'search, a word of all', goal: BOUNDED, ask: list({ search: 'saved us' }) },
  { name: 'search, a word of one', goal: BOUNDED, ask: list({ search: 'Word77 ' }) },
  { name: 'search and state', goal: BOUNDED, ask: list({ search: 'absent', state: 'pending' }) },
  {
    name: 'public list by tag',
    goal: BOUNDED,
    ask: (tx, { team }) => listSubmissions(tx, { ...placeOf(team), ...PAGE, tag: 'rare' }, { publicOnly: true }, idOf),
  },
]

function list(filters: SubmissionFilters & { cursor?: string; created_after?: string; created_before?: string }) {
  return (tx: Tx, { team }: Ground) => listSubmissions(tx, { ...placeOf(team), ...PAGE, ...filters }, { searchEmail: true }, idOf)
}

/** Each run is a change: all are approved, then rejected, then approved again. */
function approve(tx: Tx, { team, pending }: Ground, run: number): Promise<unknown> {
  const pass = Math.floor(run / pending.length)
  const before = pass % 2 === 0 ? 'rejected' : 'approved'
  const decision = { to: pass % 2 === 0 ? 'approved' : 'rejected', expected_state: pass === 0 ? 'pending' : before } as const
  return moderateSubmission(tx, ACTOR, { ...placeOf(team), submission_id: pending[run % pending.length] ?? '' }, decision)
}

function spanOf({ middle }: Ground) {
  const atMs = Date.parse(middle.created_at)
  return { created_after: new Date(atMs - DAY_MS).toISOString(), created_before: new Date(atMs).toISOString() }
}

function placeOf({ id, project_id }: Ground['team']) {
  return { team_id: id, project_id }
}

function idOf({ id }: { id: string }): string {
  return id
}
