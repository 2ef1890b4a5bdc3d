import type { Survey } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { NPS, SOURCE, WHY } from '../support/questions.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let team: Team
let surveys: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  surveys = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/surveys/`
})
afterAll(() => service.close())

test('a new survey is a draft with ids for its questions and the defaults of their types', async () => {
  const made = await create({ questions: [SOURCE, NPS, WHY] })
  expect(made).toMatchObject({
    status: 'draft',
    version: 1,
    language: 'en',
    response_limit: null,
    one_per_respondent: false,
    response_count: null,
  })
  expect(made.questions).toMatchObject([
    { ...SOURCE, required: false, description: null, show_if: null },
    { ...NPS, low_label: null, high_label: null },
    { ...WHY, required: false, max_length: 10_000 },
  ])
  expect(new Set(made.questions.map(({ id }) => id)).size).toBe(3)
  expect((await send('GET', `${made.id}/`)).body).toEqual(made)
  expect((await send('GET', '?status=draft')).body.results[0]).toEqual(made)
  expect((await send('GET', '?status=closed')).body.results).toEqual([])
})

test.each([
  ['a ref twice', [NPS, { ...WHY, ref: 'recommend' }], 'questions.1.ref'],
  ['an option twice', [{ ...SOURCE, options: [SOURCE.options[0], SOURCE.options[0]] }], 'questions.0.options.1.value'],
  ['two NPS questions', [NPS, { ...NPS, ref: 'again' }], 'questions.1.type'],
  ['a condition on a later question', [WHY, NPS], 'questions.0.show_if.rules.0.ref'],
  ['a condition on itself', [NPS, withRule({ ref: 'why', op: 'answered' })], 'questions.1.show_if.rules.0.ref'],
  ['an operator that does not fit', [NPS, withRule({ ref: 'recommend', op: 'includes', value: 6 })], 'questions.1.show_if.rules.0.op'],
  ['a value that is no answer', [NPS, withRule({ ref: 'recommend', op: 'equals', value: 11 })], 'questions.1.show_if.rules.0.value'],
  ['a value that is not taken', [NPS, withRule({ ref: 'recommend', op: 'answered', value: 1 })], 'questions.1.show_if.rules.0.value'],
  ['more choices than options', [{ ...SOURCE, type: 'multiple_choice', max_choices: 3 }], 'questions.0.max_choices'],
  ['bounds that exclude all', [{ ref: 'age', type: 'number', title: 'Age', min: 10, max: 1 }], 'questions.0.max'],
  ['a field of another type', [{ ...NPS, options: SOURCE.options }], 'questions.0.options'],
  ['101 questions', Array.from({ length: 101 }, (_, index) => ({ ref: `q${index}`, type: 'statement', title: 'x' })), 'questions'],
  [
    'more than 64 KB',
    Array.from({ length: 40 }, (_, index) => ({ ref: `q${index}`, type: 'statement', title: 'x', description: 'y'.repeat(2000) })),
    'questions',
  ],
  ['an id of no question', [{ ...NPS, id: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01' }], 'questions.0.id'],
])('%s is refused', async (_what, questions, field) => {
  const before = (await send('GET', '')).body
  const refused = await send('POST', '', { name: 'Survey', questions })
  expect(refused).toMatchObject({ status: 400, body: { code: 'validation_error' } })
  expect(refused.body.errors.map((error: { field: string }) => error.field)).toEqual([field])
  expect((await send('GET', '')).body).toEqual(before)
})

test('a draft changes in place; after publication a change makes the next version, and the versions before stay', async () => {
  const { id, questions } = await create({ questions: [NPS] })
  const longer = await patch(id, { questions: [NPS, WHY] })
  expect(longer).toMatchObject({ version: 1, questions: [questions[0], { ref: 'why' }] })
  expect((await send('POST', `${id}/publish/`)).body).toMatchObject({ status: 'active', version: 1 })
  expect(await patch(id, { name: 'Renamed', questions: longer.questions })).toMatchObject({ name: 'Renamed', version: 1 })
  expect(await patch(id, { questions: [WHY_ALONE, NPS] })).toMatchObject({ version: 2, questions: [{ ref: 'why' }, questions[0]] })
  expect(await patch(id, { thank_you_text: 'Thanks' })).toMatchObject({ version: 3, thank_you_text: 'Thanks' })
  const versions = await service.database.run<{ version: number; refs: string[] }>(
    `select version, array(select q ->> 'ref' from jsonb_array_elements(questions) q) as refs from survey_versions where team_id = $1 and survey_id = $2 order by version`,
    [team.id, id],
  )
  expect(versions).toEqual([
    { version: 1, refs: ['recommend', 'why'] },
    { version: 2, refs: ['why', 'recommend'] },
    { version: 3, refs: ['why', 'recommend'] },
  ])
})

test('a question keeps its id by ref and type, or by id under a new ref; another type is another question', async () => {
  const { id, questions } = await create({ questions: [NPS, SOURCE] })
  const [nps, source] = questions
  const renamed = await patch(id, { questions: [{ ...SOURCE, ref: 'channel', id: source?.id }, NPS] })
  expect(renamed.questions.map((question) => question.id)).toEqual([source?.id, nps?.id])
  const retyped = await patch(id, { questions: [{ ref: 'recommend', type: 'rating', title: 'Stars' }] })
  expect(retyped.questions[0]?.id).not.toBe(nps?.id)
  for (const questions of [
    [{ ...SOURCE, id: retyped.questions[0]?.id }],
    [{ ...retyped.questions[0] }, { ...retyped.questions[0], ref: 'twice' }],
  ]) {
    expect(await send('PATCH', `${id}/`, { questions })).toMatchObject({ status: 400, body: { code: 'validation_error' } })
  }
})

test('publishing and closing repeat without effect, and conflict where they make no sense', async () => {
  const { id } = await create({})
  expect(await send('POST', `${id}/publish/`)).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'draft' } })
  expect(await send('POST', `${id}/close/`)).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'draft' } })
  await patch(id, { questions: [NPS] })
  for (const status of ['active', 'active']) expect((await send('POST', `${id}/publish/`)).body.status).toBe(status)
  for (const status of ['closed', 'closed']) expect((await send('POST', `${id}/close/`)).body.status).toBe(status)
  expect((await send('POST', `${id}/publish/`)).body.status).toBe('active')
  await send('POST', `${id}/close/`)
  await patch(id, { closes_at: '2020-01-01T00:00:00Z' })
  expect(await send('POST', `${id}/publish/`)).toMatchObject({
    status: 409,
    body: { current_state: 'closed', detail: 'Its closes_at is past.' },
  })
  const lines = await service.database.run<{ action: string; changes: object }>(
    'select action, changes from audit_entries where team_id = $1 and target_id = $2 order by id',
    [team.id, id],
  )
  expect(lines.map(({ action }) => action.replace('survey.', ''))).toEqual([
    ...['created', 'updated', 'published', 'closed', 'published', 'closed', 'updated'],
  ])
  // The questions stand in their version.
  expect(lines[1]?.changes).toEqual({})
  expect(lines[6]?.changes).toEqual({ closes_at: { from: null, to: '2020-01-01T00:00:00.000Z' } })
})

test('each of eight changes at once makes a version of its own, and none is lost', async () => {
  const { id } = await create({ questions: [NPS] })
  await send('POST', `${id}/publish/`)
  const texts = Array.from({ length: 8 }, (_, index) => `Thanks ${index}`)
  const changed = await Promise.all(texts.map((thank_you_text) => patch(id, { thank_you_text })))
  expect(changed.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  const kept = await service.database.run<{ version: number; thank_you_text: string }>(
    'select version, thank_you_text from survey_versions where team_id = $1 and survey_id = $2 and version > 1',
    [team.id, id],
  )
  for (const { version, thank_you_text } of changed) expect(kept).toContainEqual({ version, thank_you_text })
})

test('of changes at once that expect the same survey, one is made, and the others read that it has changed', async () => {
  const made = await create({ questions: [NPS] })
  const expected_updated_at = made.updated_at
  const names = Array.from({ length: 8 }, (_, index) => `Author ${index}`)
  const answers = await Promise.all(names.map((name) => send('PATCH', `${made.id}/`, { name, expected_updated_at })))
  const winners = answers.filter(({ status }) => status === 200)
  expect(winners).toHaveLength(1)
  const now = (await send('GET', `${made.id}/`)).body
  expect(now.name).toBe(winners[0]?.body.name)
  for (const { status, body } of answers.filter((answer) => !winners.includes(answer)))
    expect({ status, ...body }).toMatchObject({ status: 409, code: 'state_conflict', current_state: 'draft', updated_at: now.updated_at })
  // The same instant with another offset, and no expectation at all.
  const offset = now.updated_at.replace('Z', '+00:00')
  const second = await send('PATCH', `${made.id}/`, { name: 'Second', expected_updated_at: offset })
  expect(second).toMatchObject({ status: 200, body: { name: 'Second' } })
  expect(second.body.updated_at > now.updated_at).toBe(true)
  expect((await send('PATCH', `${made.id}/`, { name: 'Third', expected_updated_at: offset })).status).toBe(409)
  expect((await send('PATCH', `${made.id}/`, { name: 'Fourth' })).status).toBe(200)
})

test('its end may have any offset of RFC 3339', async () => {
  const { id, closes_at } = await create({ closes_at: '2026-12-01T00:00:00+21:14' })
  expect(closes_at).toBe('2026-11-30T02:46:00.000Z')
  expect(await patch(id, { closes_at: '2026-12-01T00:00:00-23:59' })).toMatchObject({ closes_at: '2026-12-01T23:59:00.000Z' })
  expect(await patch(id, { closes_at: null })).toMatchObject({ closes_at: null })
})

test('a deleted survey is gone at once', async () => {
  const { id } = await create({ questions: [NPS] })
  expect((await send('DELETE', `${id}/`)).status).toBe(204)
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['POST', 'publish/'],
    ['DELETE', ''],
  ] as const) {
    expect((await send(method, `${id}/${path}`, method === 'PATCH' ? { name: 'x' } : undefined)).status, method).toBe(404)
  }
  expect((await send('GET', '')).body.results.map((survey: Survey) => survey.id)).not.toContain(id)
})

test('translations are kept as given, with at most 50 languages', async () => {
  const translations = { de: { thank_you_text: 'Danke!', questions: { recommend: { title: 'Würden Sie uns empfehlen?' } } } }
  expect(await create({ questions: [NPS], translations })).toMatchObject({ translations })
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`x${String.fromCharCode(97 + (index % 26))}-${index}`, {}]))
  expect(await send('POST', '', { name: 'Survey', translations: many })).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'translations' }] },
  })
})

const WHY_ALONE = { ...WHY, show_if: null }

function withRule(rule: object) {
  return { ...WHY, show_if: { match: 'all', rules: [rule] } }
}

async function create(fields: object): Promise<Survey> {
  const made = await send('POST', '', { name: 'Survey', ...fields })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body
}

async function patch(id: string, body: object): Promise<Survey> {
  const changed = await send('PATCH', `${id}/`, body)
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  return changed.body
}

function send(method: string, path: string, body?: object) {
  return service.send(method, `${surveys}${path}`, { token: team.token, ...(body && { body }) })
}
