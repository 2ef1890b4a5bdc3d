import { type CheckedAnswer, npsOf, type Question, type QuestionInput } from '@earshot/contracts'
import {
  createResponse,
  createSurvey,
  deleteResponse,
  findResults,
  publishSurvey,
  type Results,
  readNpsPeriods,
  readOverview,
  updateSurvey,
} from '@earshot/db'
import { foldResponseChanges } from '@earshot/db/dispatch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { answersTo, COUNTED, idAt } from '../support/survey-answers.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

const WRITERS = 6
const LOOKS = 120
const DAYS = 75
const DAY_MS = 86_400_000
const ALL = { texts_limit: 5 }

let store: TestDatabase
let team: Team
let ref: { team_id: string; project_id: string; survey_id: string }
/** What each version asks. */
let asked: Question[][]
beforeAll(async () => {
  store = await openTestDatabase({ poolSize: 12 })
  team = await makeTeam(store.database)
  const fields = { name: 'Survey', questions: COUNTED as unknown as QuestionInput[] }
  const first = await createSurvey(store.database, actor(), team.project, { fields, makeId: () => crypto.randomUUID() })
  ref = { ...team.project, survey_id: first.id }
  await publishSurvey(store.database, actor(), ref)
  // The second version no longer asks the last question.
  const change = { fields: { questions: first.questions.slice(0, -1) }, makeId: () => crypto.randomUUID() }
  const second = await updateSurvey(store.database, actor(), ref, change)
  asked = [first.questions, second.questions]
})
afterAll(() => store.close())

test('beside writers and folds every figure equals a full count at every moment', { timeout: 120_000 }, async () => {
  let isOver = false
  const write = async () => {
    const mine: string[] = []
    const steps = [
      async () => void mine.push(await respond()),
      async () => void mine.push(await respond()),
      async () => undone(),
      async () => {
        const response_id = mine.shift()
        if (response_id) await deleteResponse(store.database, actor(), { ...ref, response_id })
      },
    ]
    while (!isOver) await pick(steps)()
  }
  const foldOn = async () => {
    // Small folds: a look often finds a part of the changes folded.
    while (!isOver) await foldResponseChanges(store.database, { max: 4 })
  }
  const work = [...Array.from({ length: WRITERS }, write), foldOn(), foldOn()]
  try {
    for (let look = 0; look < LOOKS; look += 1) await lookOnce()
  } finally {
    isOver = true
    await Promise.all(work)
  }
  while ((await foldResponseChanges(store.database, { max: 1_000 })) > 0);
  expect(await lookOnce()).toBeGreaterThan(50)
})

function actor() {
  return { userId: team.ownerId, credentialId: null, credentialKind: 'operator' as const, ip: null }
}

async function respond(tx = store.database as Parameters<typeof createResponse>[0]): Promise<string> {
  const version = pick([1, 2])
  const values = {
    recommend: pick([null, 0, 3, 6, 7, 8, 9, 10]),
    stars: pick([null, 1, 2, 5]),
    uses: pick([null, ['api'], ['cli', 'web'], ['api', 'cli', 'web']]),
    source: pick([null, 'friend', 'web']),
    stays: pick([null, true, false]),
    seats: pick([null, 0, 1, 12.345, 98_765, -4.25, 1e15]),
    words: pick([null, 'Fine', 'Über allem']),
    ...(version === 1 && { email: pick([null, 'ada@example.com']) }),
  }
  const given = { answers: answersTo(asked[version - 1] ?? [], values), channel: 'api' as const, survey_version: version }
  const { id } = await createResponse(
    tx,
    ref,
    { ...given, language: pick([null, 'en', 'de']) },
    { id: idAt(Date.now() - pick(days()) * DAY_MS) },
  )
  return id
}

/** What is rolled back was never counted. */
async function undone(): Promise<void> {
  const failure = new Error('undone')
  const work = store.database.transaction(async (tx) => {
    await respond(tx)
    throw failure
  })
  await expect(work).rejects.toBe(failure)
}

interface Row {
  day: string
  survey_version: number
  language: string | null
  answers: CheckedAnswer[]
  nps_score: number | null
}

/** Compares figures with the rows themselves, in one snapshot. Returns the number of rows. */
function lookOnce(): Promise<number> {
  return store.database.transaction(async (tx) => {
    await tx.run('set transaction isolation level repeatable read', [])
    const rows = await tx.run<Row>(
      `select day::text, survey_version, language, answers, nps_score
         from survey_responses
        where survey_id = $1 and deleted_at is null`,
      [ref.survey_id],
    )
    const [from, to] = [dayAgo(pick(days())), dayAgo(pick(days()))].toSorted()
    const language = pick(['en', 'de'])
    const filters = pick([{}, { survey_version: pick([1, 2]) }, { language }, { from }, { to }, { from, to }, { from, to, language }])
    const chosen = rows.filter((row) => matches(row, filters))
    const results = await findResults(tx, ref, { ...ALL, ...filters })
    expect([filters, figuresOf(results)]).toEqual([filters, recount(chosen, results.questions)])

    const range = { from: from ?? '', to: to ?? '' }
    const inRange = rows.filter((row) => matches(row, range))
    const periods = await readNpsPeriods(tx, team.project, { ...range, interval: 'day' })
    expect(periods.map(({ start }) => start)).toEqual(everyDay(range))
    for (const { start, promoters, passives, detractors } of periods) {
      const answers = inRange.filter((row) => row.day === start)
      expect([start, { promoters, passives, detractors }]).toEqual([start, groupsOf(answers)])
    }
    const { current, days: shown } = await readOverview(tx, team.project, range)
    expect(current.responses).toEqual({ responses: inRange.length, ...groupsOf(inRange) })
    expect(shown.map(({ day, responses }) => [day, responses])).toEqual(
      everyDay(range).map((day) => [day, inRange.filter((row) => row.day === day).length]),
    )
    expect(npsOf(current.responses).answered).toBe(inRange.filter(({ nps_score }) => nps_score !== null).length)
    return rows.length
  })
}

function matches(row: Row, filters: { survey_version?: number; language?: string; from?: string | undefined; to?: string | undefined }) {
  const { survey_version = row.survey_version, language = row.language, from = row.day, to = row.day } = filters
  return row.survey_version === survey_version && row.language === language && row.day >= from && row.day <= to
}

/** The results as they are compared. */
function figuresOf({ responses, totals, questions }: Results) {
  const counted = totals
    .filter(({ question_id }) => questions.some(({ id }) => id === question_id))
    .map(({ question_id, bucket, count, sum }) => `${question_id} ${bucket}: ${count}, ${sum}`)
  return { responses, counted: counted.toSorted() }
}

/** Counts the answers of all rows, one by one. */
function recount(rows: Row[], questions: readonly Question[]) {
  const counts = new Map<string, { count: number; sum: number }>()
  for (const { answers } of rows) {
    for (const { question_id, type, value } of answers) {
      if (!questions.some(({ id }) => id === question_id)) continue
      const isWords = type === 'short_text' || type === 'email'
      const single = isWords ? '' : value
      for (const one of Array.isArray(value) ? ['', ...value] : [single]) {
        const bucket = type === 'number' ? String(Number(Number(one).toPrecision(3))) : String(one)
        const before = counts.get(`${question_id} ${bucket}`) ?? { count: 0, sum: 0 }
        counts.set(`${question_id} ${bucket}`, { count: before.count + 1, sum: before.sum + (type === 'number' ? Number(one) : 0) })
      }
    }
  }
  const counted = [...counts].map(([key, { count, sum }]) => `${key}: ${count}, ${Number(sum.toFixed(6))}`)
  return { responses: rows.length, counted: counted.toSorted() }
}

function groupsOf(rows: Row[]) {
  const groups = { promoters: 0, passives: 0, detractors: 0 }
  for (const { nps_score } of rows) {
    if (nps_score === null) continue
    if (nps_score > 8) groups.promoters += 1
    else if (nps_score > 6) groups.passives += 1
    else groups.detractors += 1
  }
  return groups
}

function everyDay({ from, to }: { from: string; to: string }): string[] {
  return days()
    .map(dayAgo)
    .filter((day) => day >= from && day <= to)
    .toSorted()
}

function days(): number[] {
  return Array.from({ length: DAYS }, (_value, index) => index)
}

function dayAgo(ago: number): string {
  return new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)
}

function pick<Item>(items: readonly Item[]): Item {
  // Never empty.
  return items[Math.floor(Math.random() * items.length)] as Item
}
