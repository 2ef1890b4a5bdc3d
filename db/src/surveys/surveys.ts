import { isDeepStrictEqual } from 'node:util'
import { ApiError, type Question, type QuestionInput, type SurveyStatus, type Translations } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { Actor } from '../sql/actor.ts'
import { changedFields, recordAudit } from '../sql/audit.ts'
import { indexedList, type Listed, listedPage, scannedList, walkOf } from '../sql/bounded-list.ts'
import { columnsOf } from '../sql/columns.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds } from '../sql/pages.ts'
import { lockRecord, removeRecord, updateRecord } from '../sql/records.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { type Parameters, statement, statementsByKey } from '../sql/statement.ts'
import { inUtc, toTimestamp } from '../sql/timestamps.ts'
import { survey_responses, survey_versions, surveys } from '../tables/surveys.ts'
import { withIds } from './questions.ts'

type Row = typeof surveys.$inferSelect
type Content = Pick<typeof survey_versions.$inferSelect, 'language' | 'questions' | 'translations' | 'thank_you_text'>
/** A survey with what it asks now. */
export type SurveyRow = Row & Content

export interface SurveyRef {
  team_id: string
  project_id: string
  survey_id: string
}
type ProjectRef = Omit<SurveyRef, 'survey_id'>

const SETTINGS = ['name', 'closes_at', 'response_limit', 'one_per_respondent'] as const

/** The fields that a caller may set; absent ones stay as they are. */
export interface SurveyFields {
  name?: string | undefined
  closes_at?: string | null | undefined
  response_limit?: number | null | undefined
  one_per_respondent?: boolean | undefined
  language?: string | undefined
  questions?: readonly QuestionInput[] | undefined
  translations?: Translations | undefined
  thank_you_text?: string | null | undefined
}

const here = (p: Parameters<SurveyRef>) =>
  sql`team_id = ${p.team_id} and project_id = ${p.project_id} and id = ${p.survey_id} and deleted_at is null`

const content = sql`v.language, v.questions, v.translations, v.thank_you_text`
const current = sql`
    join ${survey_versions} v on v.team_id = s.team_id and v.project_id = s.project_id and v.survey_id = s.id and v.version = s.version`

const list = statementsByKey<ProjectRef & PageBounds & { status: SurveyStatus | undefined }, Listed<SurveyRow>>((key, p) => {
  const source = sql`from ${surveys} s where s.team_id = ${p.team_id} and s.project_id = ${p.project_id}`
  const columns = columnsOf(surveys, 's')
  const listed =
    key === 'all'
      ? indexedList(walkOf(sql`${source} and s.deleted_at is null`, sql`s.id`, undefined), columns)
      : scannedList(walkOf(source, sql`s.id`, undefined), [sql`s.deleted_at is null`, sql`s.status = ${p.status}`], columns)
  return sql`
  select s.*, ${content}
    from (${listed}) s${current}
   order by s.id desc`
})

const find = statement<SurveyRef, SurveyRow & { is_past: boolean }>(
  (p) => sql`
  select ${columnsOf(surveys, 's')}, ${content}, coalesce(s.closes_at <= now(), false) as is_past
    from ${surveys} s${current}
   where s.team_id = ${p.team_id} and s.project_id = ${p.project_id} and s.id = ${p.survey_id} and s.deleted_at is null`,
)

const lock = lockRecord<SurveyRef, Row>(surveys, here)

const insert = statement<ProjectRef & { fields: string }, Row>(
  (p) => sql`
  insert into ${surveys} (team_id, project_id, name, closes_at, response_limit, one_per_respondent)
  select ${p.team_id}::uuid, ${p.project_id}::uuid, f.name, f.closes_at, f.response_limit, f.one_per_respondent
    from jsonb_populate_record(null::${surveys}, ${p.fields}::jsonb) f
  returning ${columnsOf(surveys)}`,
)

const putVersion = statement<SurveyRef & { version: number; content: string }, never>(
  (p) => sql`
  insert into ${survey_versions} (team_id, project_id, survey_id, version, language, questions, translations, thank_you_text)
  select ${p.team_id}::uuid, ${p.project_id}::uuid, ${p.survey_id}::uuid, ${p.version}::int, c.language, c.questions, c.translations, c.thank_you_text
    from jsonb_populate_record(null::${survey_versions}, ${p.content}::jsonb) c
      on conflict (team_id, project_id, survey_id, version) do update
     set language = excluded.language, questions = excluded.questions,
         translations = excluded.translations, thank_you_text = excluded.thank_you_text`,
)

const update = updateRecord<SurveyRef, Row>(surveys, [...SETTINGS, 'status', 'version', 'response_count'], here)
const countResponses = statement<SurveyRef, { count: number }>(
  (p) => sql`
  select count(*)::int as count
    from ${survey_responses}
   where team_id = ${p.team_id} and project_id = ${p.project_id} and survey_id = ${p.survey_id} and deleted_at is null`,
)
const remove = removeRecord<SurveyRef, Row>(surveys, here)

/** Lists the surveys of a project, newest first. */
export async function listSurveys<Item>(
  tx: Tx,
  { team_id, project_id, status, ...query }: PageQuery & ProjectRef & { status?: SurveyStatus | undefined },
  present: (row: SurveyRow) => Item,
): Promise<Page<Item>> {
  const rows = await list(status === undefined ? 'all' : 'status')(tx, { team_id, project_id, status, ...pageBounds(query) })
  return listedPage(rows, query.limit, present)
}

/** Finds a survey. Throws `not_found`. */
export async function findSurvey(tx: Tx, ref: SurveyRef): Promise<SurveyRow & { is_past: boolean }> {
  return (await find(tx, ref))[0] ?? notFound()
}

/**
 * Locks a survey, and then reads it: one statement that waited for another change would join the new row with the version that
 * was current before, and find nothing.
 */
async function findLocked(tx: Tx, ref: SurveyRef): Promise<SurveyRow & { is_past: boolean }> {
  await lock(tx, ref)
  return (await find(tx, ref))[0] ?? notFound()
}

/** Creates a draft. */
export function createSurvey(
  tx: Tx,
  actor: Actor,
  project: ProjectRef,
  { fields, makeId }: { fields: SurveyFields & { name: string }; makeId: () => string },
): Promise<SurveyRow> {
  return transaction(tx, async (tx) => {
    const { language = 'en', questions = [], translations = {}, thank_you_text = null, ...settings } = fields
    const { name, one_per_respondent = false, response_limit = null } = settings
    const closes_at = inUtc(settings.closes_at)
    const row = onlyOne(await insert(tx, { ...project, fields: JSON.stringify({ name, closes_at, response_limit, one_per_respondent }) }))
    const content = { language, questions: withIds(questions, [], makeId), translations, thank_you_text }
    await putVersion(tx, { ...project, survey_id: row.id, version: row.version, content: JSON.stringify(content) })
    await recordAudit(tx, actor, { ...target(row), action: 'survey.created' })
    return { ...row, ...content }
  })
}

/**
 * Changes a survey. What it asks changes in place while it is a draft; after that a change makes the next version, and
 * responses keep theirs. Throws `not_found`, and `state_conflict` if it has changed since `expectedUpdatedAt`.
 */
export function updateSurvey(
  tx: Tx,
  actor: Actor,
  ref: SurveyRef,
  { fields, expectedUpdatedAt, makeId }: { fields: SurveyFields; expectedUpdatedAt?: string | undefined; makeId: () => string },
): Promise<SurveyRow> {
  return transaction(tx, async (tx) => {
    const before = await findLocked(tx, ref)
    const updated_at = toTimestamp(before.updated_at)
    if (expectedUpdatedAt !== undefined && new Date(expectedUpdatedAt).toISOString() !== updated_at)
      throw new ApiError('state_conflict', { current_state: before.status, updated_at, detail: 'Somebody else has changed the survey.' })
    const content = changedContent(before, fields, makeId)
    const isChanged = !isDeepStrictEqual(content, contentOf(before))
    const version = isChanged && before.status !== 'draft' ? before.version + 1 : before.version
    if (isChanged) await putVersion(tx, { ...ref, version, content: JSON.stringify(content) })
    const { name, response_limit, one_per_respondent } = fields
    const counted = await countedFor(tx, ref, { before, response_limit })
    const closes_at = inUtc(fields.closes_at)
    const row = onlyOne(await update(tx, ref, { name, closes_at, response_limit, one_per_respondent, version, ...counted }))
    // The questions themselves, up to 64 KB, stand in their version.
    await recordAudit(tx, actor, { ...target(row), action: 'survey.updated', changes: changedFields(before, row) })
    return { ...row, ...content }
  })
}

/** Responses are counted while a survey has a limit. With its first limit it starts from those that it has. */
async function countedFor(
  tx: Tx,
  { team_id, project_id, survey_id }: SurveyRef,
  { before, response_limit }: { before: SurveyRow; response_limit: number | null | undefined },
): Promise<Partial<Pick<Row, 'response_count' | 'status'>>> {
  if (response_limit === undefined || response_limit === null) return {}
  const isCounted = before.response_limit !== null
  const response_count = isCounted ? before.response_count : onlyOne(await countResponses(tx, { team_id, project_id, survey_id })).count
  return { response_count, ...(before.status === 'active' && response_count >= response_limit && { status: 'closed' }) }
}

function contentOf({ language, questions, translations, thank_you_text }: SurveyRow): Content {
  return { language, questions, translations, thank_you_text }
}

function changedContent(before: SurveyRow, fields: SurveyFields, makeId: () => string): Content {
  return {
    language: fields.language ?? before.language,
    questions: fields.questions ? withIds(fields.questions, before.questions, makeId) : before.questions,
    translations: fields.translations ?? before.translations,
    thank_you_text: fields.thank_you_text === undefined ? before.thank_you_text : fields.thank_you_text,
  }
}

/**
 * Opens a survey for responses, also one that was closed. Throws `not_found`, and `state_conflict` without a question, while its
 * end is past or its limit reached.
 */
export function publishSurvey(tx: Tx, actor: Actor, ref: SurveyRef): Promise<SurveyRow> {
  return changeStatus(tx, actor, { ref, to: 'active' }, ({ status, questions, is_past, response_limit, response_count }) => {
    const isFull = response_limit !== null && response_count >= response_limit
    const detail = [
      !questions.some(isAnswered) && 'The survey has no question.',
      is_past && 'Its closes_at is past.',
      isFull && 'Its response_limit is reached.',
    ].filter(Boolean)
    if (detail.length > 0) throw new ApiError('state_conflict', { current_state: status, detail: detail.join(' ') })
  })
}

/** Closes a survey. Throws `not_found`, and `state_conflict` for a draft. */
export function closeSurvey(tx: Tx, actor: Actor, ref: SurveyRef): Promise<SurveyRow> {
  return changeStatus(tx, actor, { ref, to: 'closed' }, ({ status }) => {
    if (status === 'draft')
      throw new ApiError('state_conflict', { current_state: status, detail: 'A draft cannot be closed. Publish or delete it.' })
  })
}

/** Repeating a change has no effect. */
async function changeStatus(
  tx: Tx,
  actor: Actor,
  { ref, to }: { ref: SurveyRef; to: 'active' | 'closed' },
  requirePossible: (before: SurveyRow & { is_past: boolean }) => void,
): Promise<SurveyRow> {
  return transaction(tx, async (tx) => {
    const before = await findLocked(tx, ref)
    if (before.status === to) return before
    requirePossible(before)
    const row = onlyOne(await update(tx, ref, { status: to }))
    await recordAudit(tx, actor, {
      ...target(row),
      action: to === 'active' ? 'survey.published' : 'survey.closed',
      changes: { status: { from: before.status, to } },
    })
    return { ...before, ...row }
  })
}

function isAnswered({ type }: Question): boolean {
  return type !== 'statement'
}

/** Hides a survey and its responses at once; a job removes them for good. Throws `not_found`. */
export async function deleteSurvey(tx: Tx, actor: Actor, ref: SurveyRef): Promise<void> {
  await transaction(tx, async (tx) => {
    const row = (await remove(tx, ref))[0] ?? notFound()
    await recordAudit(tx, actor, { ...target(row), action: 'survey.deleted' })
  })
}

function target({ team_id, project_id, id }: Row) {
  return { team_id, project_id, target: 'survey', target_id: id }
}
