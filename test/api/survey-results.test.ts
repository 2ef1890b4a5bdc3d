import type { QuestionResults, Survey } from '@earshot/contracts'
import { createResponse } from '@earshot/db'
import { foldResponseChanges } from '@earshot/db/dispatch'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { answersTo, COUNTED, idAt } from '../support/survey-answers.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let team: Team
let survey: Survey
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  team = await makeTeam(service.database)
  survey = await publish(COUNTED)
})
afterAll(() => service.close())

test('the summaries of a project have the responses and the first score of each survey, in the order and pages of the list', async () => {
  const first = survey
  await respond({ stars: 5 })
  await respond({ stars: 4 })
  await foldAll()
  await respond({ stars: 4, words: 'Slow' })
  survey = await publish(COUNTED)
  await respond({ recommend: 10, stars: 1 })
  await respond({ recommend: 3 })
  const second = survey
  const unanswered = await publish(COUNTED)
  await (await makeTeam(service.database)).submit()
  const read = async (query: string) => {
    const { status, body } = await service.send('GET', `${path('summaries')}${query}`, { token: team.token })
    expect(status).toBe(200)
    return body
  }
  const idOf = ({ questions }: Survey, ref: string) => questions.find((question) => question.ref === ref)?.id
  const summaries = [
    { survey_id: unanswered.id, responses: 0, score: null },
    { survey_id: second.id, responses: 2, score: { question_id: idOf(second, 'recommend'), type: 'nps', value: 0 } },
    { survey_id: first.id, responses: 3, score: { question_id: idOf(first, 'stars'), type: 'rating', value: 4.33 } },
  ]
  expect(await read('')).toEqual({ results: summaries, next_cursor: null })
  const page = await read('?limit=2')
  expect(page.results).toEqual(summaries.slice(0, 2))
  expect((await read(`?cursor=${page.next_cursor}`)).results).toEqual(summaries.slice(2))
  expect((await read('?status=draft')).results).toEqual([])
})

test('each question has the results of its type', async () => {
  await respond({
    recommend: 10,
    stars: 5,
    uses: ['api', 'cli'],
    source: 'friend',
    stays: true,
    seats: 4,
    words: 'Quick',
    email: 'a@example.com',
  })
  await respond({ recommend: 9, stars: 4, uses: ['api'], source: 'web', stays: false, seats: 12.5 })
  await respond({ recommend: 3, seats: 98_765, words: 'Slow' })
  await respond({})
  const body = await results()
  expect(body).toMatchObject({ survey_id: survey.id, survey_version: 1, from: null, to: null, responses: 4 })
  const { recommend, stars, uses, source, stays, seats, words, email } = byRef(body.questions)
  const noFigures = { choices: null, average: null, nps: null, quantiles: null, texts: null }
  expect(recommend).toMatchObject({ ...noFigures, choices: expect.anything(), nps: expect.anything(), answered: 3 })
  expect(recommend?.nps).toEqual({
    ...{ score: 33.3, answered: 3, promoters: 2, passives: 0, detractors: 1 },
    ...{ promoters_percent: 66.7, passives_percent: 0, detractors_percent: 33.3 },
  })
  expect(counts(recommend)).toEqual(['0:0', '1:0', '2:0', '3:1', '4:0', '5:0', '6:0', '7:0', '8:0', '9:1', '10:1'])
  expect(stars).toMatchObject({ answered: 2, average: 4.5 })
  expect(counts(stars)).toEqual(['1:0', '2:0', '3:0', '4:1', '5:1'])
  expect(uses).toMatchObject({ ...noFigures, answered: 2, choices: expect.anything() })
  expect(uses?.choices).toEqual([
    { value: 'api', label: 'API', count: 2, percent: 100 },
    { value: 'cli', label: 'CLI', count: 1, percent: 50 },
    { value: 'web', label: 'WEB', count: 0, percent: 0 },
  ])
  expect(counts(source)).toEqual(['friend:1', 'web:1'])
  expect(counts(stays)).toEqual(['true:1', 'false:1'])
  expect(seats).toMatchObject({ answered: 3, average: 32_927.17, choices: null })
  expect(seats?.quantiles).toEqual({ min: 4, p25: 4, median: 12.5, p75: 98_800, max: 98_800 })
  expect(words).toMatchObject({ answered: 2, texts: { next_cursor: null } })
  expect(words?.texts?.results.map(({ value }) => value)).toEqual(['Slow', 'Quick'])
  // Addresses are no words to read.
  expect(email).toEqual({ ...noFigures, question_id: email?.question_id, ref: 'email', type: 'email', title: email?.title, answered: 1 })
})

test('results of a survey without responses are zero, not missing', async () => {
  const { responses, questions } = await results()
  expect(responses).toBe(0)
  expect(questions.map(({ ref, answered }) => [ref, answered])).toEqual(COUNTED.map(({ ref }) => [ref, 0]))
  expect(byRef(questions).recommend).toMatchObject({ nps: { score: null, answered: 0, promoters_percent: null } })
  expect(byRef(questions).seats).toMatchObject({ average: null, quantiles: null })
  expect(byRef(questions).uses?.choices?.[0]).toMatchObject({ count: 0, percent: null })
})

test('a deleted response counts for nothing, folded or not', async () => {
  const first = await respond({ recommend: 10, words: 'Quick' })
  await respond({ recommend: 0 })
  await foldAll()
  await service.send('DELETE', `${path()}responses/${first}/`, { token: team.token })
  const expectGone = async () => {
    const { responses, questions } = await results()
    const { recommend, words } = byRef(questions)
    expect([responses, recommend?.nps?.score, words?.answered, words?.texts?.results]).toEqual([1, -100, 0, []])
  }
  await expectGone()
  await foldAll()
  await expectGone()
})

test('a question keeps its results over versions, and a version has its own', async () => {
  await respond({ recommend: 10, source: 'friend' })
  const kept = survey.questions.filter(({ ref }) => ref === 'recommend')
  const source = { ...survey.questions.find(({ ref }) => ref === 'source'), options: [{ value: 'web', label: 'The web' }] }
  const { body } = await service.send('PATCH', path(), { token: team.token, body: { questions: [...kept, source] } })
  survey = body
  await respond({ recommend: 0, source: 'web' })
  const all = await results()
  expect(all).toMatchObject({ survey_version: 2, responses: 2 })
  expect(byRef(all.questions).recommend?.nps?.score).toBe(0)
  // What is no longer offered stands behind what is.
  expect(byRef(all.questions).source?.choices).toMatchObject([
    { value: 'web', label: 'The web', count: 1 },
    { value: 'friend', label: 'friend', count: 1 },
  ])
  const first = await results('?survey_version=1')
  expect([first.responses, first.questions.length, byRef(first.questions).recommend?.nps?.score]).toEqual([1, COUNTED.length, 100])
})

test('results are of the days and the language that the caller names', async () => {
  const old = { answers: answersTo(survey.questions, { recommend: 10, words: 'Old' }), channel: 'api' as const, language: 'de' }
  await createResponse(service.database, { ...team.project, survey_id: survey.id }, old, { id: idAt('2026-01-31T12:00:00Z') })
  await respond({ recommend: 0, words: 'New' }, 'en')
  const facts = async (query: string) => {
    const { responses, questions } = await results(query)
    const { recommend, words } = byRef(questions)
    return [responses, recommend?.nps?.score, words?.texts?.results.map(({ value }) => value)]
  }
  const ofOld = [1, 100, ['Old']]
  const none = [0, null, []]
  const look = async () => {
    expect(await facts('')).toEqual([2, 0, ['New', 'Old']])
    expect(await facts('?from=2026-01-31&to=2026-01-31')).toEqual(ofOld)
    expect(await facts('?from=2026-01-01&to=2026-01-31')).toEqual(ofOld)
    expect(await facts('?from=2025-12-15&to=2026-02-15')).toEqual(ofOld)
    expect(await facts('?to=2026-01-31')).toEqual(ofOld)
    expect(await facts('?to=2026-01-30')).toEqual(none)
    expect(await facts('?from=2026-02-01')).toEqual([1, -100, ['New']])
    expect(await facts('?language=de')).toEqual(ofOld)
    expect(await facts('?language=de&from=2026-02-01')).toEqual(none)
  }
  await look()
  await foldAll()
  await look()
})

test('a new response is of the day that it is where the team is', async () => {
  const days: string[] = []
  for (const timezone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
    await service.send('PATCH', `/api/v1/teams/${team.id}/`, { token: team.token, body: { settings: { timezone } } })
    await respond({ recommend: 9 })
    days.push(new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(new Date()))
  }
  // 26 hours apart: never the same day.
  for (const day of days) expect((await results(`?from=${day}&to=${day}`)).responses).toBe(1)
})

test('text answers come page by page for one question', async () => {
  for (let number = 1; number <= 7; number += 1) await respond({ words: `Number ${number}` })
  const { words } = byRef((await results()).questions)
  expect(words?.texts?.results).toHaveLength(5)
  const seen: string[] = []
  let cursor = ''
  for (;;) {
    const { questions } = await results(`?question_id=${words?.question_id}&texts_limit=3${cursor}`)
    expect(questions.map(({ ref }) => ref)).toEqual(['words'])
    const { results: page = [], next_cursor = null } = questions[0]?.texts ?? {}
    seen.push(...page.map(({ value }) => value))
    if (next_cursor === null) break
    cursor = `&texts_cursor=${next_cursor}`
  }
  expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map((number) => `Number ${number}`))
})

test.each<[string, string, string]>([
  ['an unknown version', '?survey_version=2', 'survey_version'],
  ['an unknown question', `?question_id=${crypto.randomUUID()}`, 'question_id'],
  ['a range that ends before it begins', '?from=2026-02-02&to=2026-02-01', 'to'],
  ['a day that is none', '?from=2026-02-30', 'from'],
  ['a cursor without its question', '?texts_cursor=AAAAAAAAAAAAAAAAAAAAAA', 'texts_cursor'],
])('%s is refused', async (_name, query, field) => {
  const { status, body } = await service.send('GET', `${path()}results/${query}`, { token: team.token })
  expect([status, body]).toMatchObject([400, { code: 'validation_error', errors: [{ field }] }])
})

test('days before and after all records are known too', async () => {
  await respond({ recommend: 9 })
  expect(await results('?from=0000-01-01&to=9999-12-31')).toMatchObject({ responses: 1 })
  expect(await results('?from=9999-12-31')).toMatchObject({ responses: 0 })
})

test("another team's survey has no results, and neither has a deleted one", async () => {
  const other = await makeTeam(service.database)
  const get = (token: string, url: string) => service.send('GET', url, { token })
  const foreign = path().replaceAll(team.id, other.id).replaceAll(team.project.project_id, other.project.project_id)
  expect((await get(other.token, `${foreign}results/`)).status).toBe(404)
  await service.send('DELETE', path(), { token: team.token })
  expect((await get(team.token, `${path()}results/`)).status).toBe(404)
})

function path(id = survey.id): string {
  return `/api/v1/teams/${team.id}/projects/${team.project.project_id}/surveys/${id}/`
}

async function publish(questions: readonly object[]): Promise<Survey> {
  const body = { name: 'Survey', questions }
  const { body: made } = await service.send('POST', path('').replace(/\/$/, ''), { token: team.token, body })
  return (await service.send('POST', `${path(made.id)}publish/`, { token: team.token })).body
}

async function respond(values: Parameters<typeof answersTo>[1], language?: string): Promise<string> {
  const body = { answers: answersTo(survey.questions, values), ...(language && { language }) }
  const answer = await service.send('POST', `${path()}responses/`, { token: team.token, body })
  expect(answer.status).toBe(201)
  return answer.body.id
}

async function results(query = ''): Promise<{ responses: number; questions: QuestionResults[] }> {
  const { status, body } = await service.send('GET', `${path()}results/${query}`, { token: team.token })
  expect([query, status, status === 200 ? '' : body]).toEqual([query, 200, ''])
  return body
}

function byRef(questions: QuestionResults[]): Record<string, QuestionResults | undefined> {
  return Object.fromEntries(questions.map((question) => [question.ref, question]))
}

function counts(question: QuestionResults | undefined): string[] | undefined {
  return question?.choices?.map(({ value, count }) => `${value}:${count}`)
}

async function foldAll(): Promise<void> {
  while ((await foldResponseChanges(service.database, { max: 1_000 })) > 0);
}
