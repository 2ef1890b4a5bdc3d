import {
  countSubmissions,
  findResults,
  listResponses,
  listSubmissions,
  moderateSubmission,
  type ResponseFilters,
  readNpsPeriods,
  readOverview,
  readPublicWidget,
  type SubmissionFilters,
  type Tx,
} from '@earshot/db'
import type { GrowthDatabase } from './databases.ts'

/** A list or change that runs on both databases, and the limit for its growth. */
export interface Case {
  name: string
  /** The most that it may be slower than in the small database, or the longest it may take. */
  goal: { growth: number } | { ms: number; isFigure?: true }
  run: (tx: Tx, data: GrowthDatabase, round: number) => Promise<unknown>
}

const PAGE = { limit: 25 }
const ACTOR = { userId: null, credentialId: null, credentialKind: 'bench', ip: null }
const FLAT = { growth: 1.2 }
const STATE = { growth: 1.35 }
const BOUNDED = { ms: 10 }
const SEARCH = { ms: 50 }
/** Figures read totals of days and months, not records. */
const FIGURES = { ms: 50, isFigure: true } as const
const DAY_MS = 86_400_000

/** What people search for, in the texts that `databases.ts` writes. */
const words = {
  'a word in one': 'onboarding',
  'a word in one of a hundred': 'helpful',
  'a word in all': 'week',
  'two words': 'ZOE onboarding',
  'part of a word': 'onboar',
  'two signs': '東京',
  'one sign': '都',
  'two letters': 'zo',
  'a word in none': 'absent',
}

/** The cursor of the page after the middle record. */
const cursorOf = ({ middle }: GrowthDatabase) => Buffer.from(middle.id.replaceAll('-', ''), 'hex').toString('base64url')

export const cases: Case[] = [
  { name: 'list', goal: FLAT, run: list({}) },
  { name: 'kind', goal: FLAT, run: list({ kind: 'video' }) },
  { name: 'tag', goal: FLAT, run: list({ tag: 'launch' }) },
  { name: 'metadata', goal: FLAT, run: list({ metadata: { plan: 'team' } }) },
  { name: 'time', goal: FLAT, run: (tx, data) => list({ ...spanOf(data) })(tx, data) },
  { name: 'deep cursor', goal: FLAT, run: (tx, data) => list({ cursor: cursorOf(data) })(tx, data) },
  { name: 'approve', goal: FLAT, run: approve },
  { name: 'counts', goal: FLAT, run: (tx, { team }) => countSubmissions(tx, projectRefOf(team)) },
  {
    name: 'public list',
    goal: FLAT,
    run: (tx, { team }) => listSubmissions(tx, { ...projectRefOf(team), ...PAGE }, { publicOnly: true }, idOf),
  },
  { name: 'state', goal: STATE, run: list({ state: 'rejected' }) },
  { name: 'state and kind', goal: BOUNDED, run: list({ state: 'pending', kind: 'video' }) },
  { name: 'tag and state', goal: BOUNDED, run: list({ tag: 'launch', state: 'rejected' }) },
  { name: 'rare tag and state', goal: BOUNDED, run: list({ tag: 'rare', state: 'rejected' }) },
  { name: 'channel', goal: BOUNDED, run: list({ channel: 'import' }) },
  { name: 'external id', goal: BOUNDED, run: list({ external_id: 'A-77' }) },
  { name: 'stars', goal: BOUNDED, run: list({ min_rating: 5 }) },
  { name: 'with video', goal: BOUNDED, run: list({ has_video: true }) },
  ...searches(),
  {
    name: 'public list by tag',
    goal: BOUNDED,
    run: (tx, { team }) => listSubmissions(tx, { ...projectRefOf(team), ...PAGE, tag: 'rare' }, { publicOnly: true }, idOf),
  },
  { name: 'widget, featured first', goal: BOUNDED, run: widget('featured') },
  { name: 'widget, best rated first', goal: BOUNDED, run: widget('rating') },
  { name: 'widget, a rare tag', goal: BOUNDED, run: widget('tag') },
  { name: 'responses', goal: FLAT, run: responses(() => ({})) },
  { name: 'responses of a respondent', goal: FLAT, run: responses(() => ({ external_id: 'user 77' })) },
  { name: 'responses in a language', goal: BOUNDED, run: responses(() => ({ language: 'fr' })) },
  { name: 'responses of promoters', goal: BOUNDED, run: responses(() => ({ min_score: 9 })) },
  {
    name: 'responses with an answer',
    goal: BOUNDED,
    run: responses(({ survey }) => ({ question_id: survey.questions.source, value: 'friend' })),
  },
  { name: 'results', goal: FIGURES, run: results(() => ({})) },
  { name: 'results of 30 days', goal: FIGURES, run: results(() => ({ from: dayAgo(30) })) },
  { name: 'results of a year, from within a month', goal: FIGURES, run: results(() => ({ from: dayAgo(380), to: dayAgo(15) })) },
  { name: 'results in a language', goal: FIGURES, run: results(() => ({ language: 'de' })) },
  { name: 'text answers', goal: FIGURES, run: results(({ survey }) => ({ question_id: survey.questions.words })) },
  { name: 'NPS of 30 days', goal: FIGURES, run: (tx, { team }) => readNpsPeriods(tx, projectRefOf(team), { interval: 'day' }) },
  {
    name: 'NPS of two years',
    goal: FIGURES,
    run: (tx, { team }) => readNpsPeriods(tx, projectRefOf(team), { interval: 'week', from: dayAgo(730) }),
  },
  { name: 'overview of 30 days', goal: FIGURES, run: (tx, { team }) => readOverview(tx, projectRefOf(team), {}) },
  { name: 'overview of two years', goal: FIGURES, run: (tx, { team }) => readOverview(tx, projectRefOf(team), { from: dayAgo(730) }) },
]

/** Each kind of word, and each filter with a rare and with a common one. */
function searches(): Case[] {
  const filters: Record<string, SubmissionFilters> = {
    state: { state: 'pending' },
    kind: { kind: 'video' },
    channel: { channel: 'api' },
    'a channel of none': { channel: 'import' },
    tag: { tag: 'launch' },
    'a rare tag': { tag: 'rare' },
    stars: { min_rating: 5 },
    'an external id': { external_id: 'A-77' },
    video: { has_video: true },
  }
  const kinds = Object.entries(words).map(([name, search]) => ({ name, run: list({ search }) }))
  const filtered = Object.entries(filters).flatMap(([name, filter]) =>
    (['a word in one', 'a word in all'] as const).map((word) => ({
      name: `${word}, and ${name}`,
      run: list({ search: words[word], ...filter }),
    })),
  )
  const deep = {
    name: 'a word in all, deep cursor',
    run: (tx: Tx, data: GrowthDatabase) => list({ search: words['a word in all'], cursor: cursorOf(data) })(tx, data),
  }
  const ofResponses = { name: 'a word of one response', run: responses(() => ({ search: 'onboarding' })) }
  return [...kinds, ...filtered, deep, ofResponses].map(({ name, run }) => ({ name: `search, ${name}`, goal: SEARCH, run }))
}

function responses(filtersOf: (data: GrowthDatabase) => ResponseFilters) {
  return (tx: Tx, data: GrowthDatabase) =>
    listResponses(tx, { ...projectRefOf(data.team), survey_id: data.survey.id, ...PAGE, ...filtersOf(data) }, { searchEmail: true }, idOf)
}

function results(queryOf: (data: GrowthDatabase) => Partial<Parameters<typeof findResults>[2]>) {
  return (tx: Tx, data: GrowthDatabase) =>
    findResults(tx, { ...projectRefOf(data.team), survey_id: data.survey.id }, { texts_limit: PAGE.limit, ...queryOf(data) })
}

function dayAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
}

function widget(name: keyof GrowthDatabase['widgets']) {
  return (tx: Tx, { team, widgets }: GrowthDatabase) => readPublicWidget(tx, { ...projectRefOf(team), widget_id: widgets[name] })
}

function list(filters: SubmissionFilters & { cursor?: string; created_after?: string; created_before?: string }) {
  return (tx: Tx, { team }: GrowthDatabase) =>
    listSubmissions(tx, { ...projectRefOf(team), ...PAGE, ...filters }, { searchEmail: true }, idOf)
}

/** Changes one submission each round: all are approved, then rejected, then approved again. */
function approve(tx: Tx, { team, pending }: GrowthDatabase, round: number): Promise<unknown> {
  const pass = Math.floor(round / pending.length)
  const before = pass % 2 === 0 ? 'rejected' : 'approved'
  const decision = { to: pass % 2 === 0 ? 'approved' : 'rejected', expected_state: pass === 0 ? 'pending' : before } as const
  return moderateSubmission(tx, ACTOR, { ...projectRefOf(team), submission_id: pending[round % pending.length] ?? '' }, decision)
}

function spanOf({ middle }: GrowthDatabase) {
  const atMs = Date.parse(middle.created_at)
  return { created_after: new Date(atMs - DAY_MS).toISOString(), created_before: new Date(atMs).toISOString() }
}

function projectRefOf({ id, project_id }: GrowthDatabase['team']) {
  return { team_id: id, project_id }
}

function idOf({ id }: { id: string }): string {
  return id
}
