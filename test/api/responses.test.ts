import type { QuestionInput, Survey } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCredential } from '../support/credentials.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { NPS, WHY } from '../support/questions.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const TWENTY = 20
const USES = {
  ref: 'uses',
  type: 'multiple_choice',
  title: 'What do you use?',
  options: [
    { value: 'api', label: 'The API' },
    { value: 'cli', label: 'The command line' },
  ],
}

let service: TestService
let team: Team
let surveys: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  surveys = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/surveys/`
})
afterAll(() => service.close())

test('a response keeps its answers, its respondent and the version that it answered, and is an event', async () => {
  const survey = await publish([NPS, WHY, USES])
  const started_at = new Date(Date.now() - 60_000).toISOString()
  const respondent = { external_id: 'user_42', email: 'ada@example.com', name: 'Ada', properties: { plan: 'team' } }
  const fields = { respondent, language: 'en-GB', hidden: { page: '/pricing' }, started_at }
  const answers = answersTo(survey, { uses: ['cli', 'api'], recommend: 9 })
  const { status, body } = await respond(survey, { answers, ...fields })
  expect([status, body]).toMatchObject([
    201,
    { survey_id: survey.id, survey_version: 1, respondent, language: 'en-GB', hidden: fields.hidden, channel: 'api', nps_score: 9 },
  ])
  expect(body.answers).toEqual([
    { question_id: idOf(survey, 'recommend'), type: 'nps', value: 9 },
    { question_id: idOf(survey, 'uses'), type: 'multiple_choice', value: ['cli', 'api'] },
  ])
  expect(body.completed_at).toBe(body.created_at)
  expect(body.duration_ms).toBeGreaterThanOrEqual(60_000)
  expect(body.duration_ms).toBeLessThan(90_000)
  expect((await send('GET', `${survey.id}/responses/${body.id}/`)).body).toEqual(body)
  expect(await eventsOf(body.id)).toEqual([['survey.response.created', body]])
})

test('an address that is an answer is shown to callers with read:contacts alone, and found by them alone', async () => {
  const survey = await publish([{ ref: 'email', type: 'email', title: 'Where can we write to you?' }])
  const { body } = await respond(survey, { answers: answersTo(survey, { email: 'ada@example.com' }) })
  expect(body.answers).toMatchObject([{ type: 'email', value: 'ada@example.com' }])
  const blind = await team.tokenOf('member', ['read:responses'])
  const list = (token: string, query = '') => service.send('GET', `${surveys}${survey.id}/responses/${query}`, { token })
  expect((await list(blind)).body.results).toMatchObject([{ id: body.id, answers: [{ type: 'email', value: null }] }])
  const search = `?question_id=${idOf(survey, 'email')}&value=ada@example.com`
  expect((await list(blind, search)).body.results).toEqual([])
  expect((await list(team.token, search)).body.results).toMatchObject([{ id: body.id }])
})

test('a score below the threshold of the team is an event of its own', async () => {
  const survey = await publish([NPS])
  await service.send('PATCH', `/api/v1/teams/${team.id}/`, { token: team.token, body: { settings: { nps_low_score_threshold: 5 } } })
  const low = (await respond(survey, { answers: answersTo(survey, { recommend: 4 }) })).body
  const enough = (await respond(survey, { answers: answersTo(survey, { recommend: 5 }) })).body
  expect((await eventsOf(low.id)).map(([type]) => type).toSorted()).toEqual(['nps.low_score', 'survey.response.created'])
  expect((await eventsOf(enough.id)).map(([type]) => type)).toEqual(['survey.response.created'])
})

test.each<[string, (survey: Survey) => object, string[]]>([
  ['a required question without an answer', () => ({ answers: [] }), ['answers.recommend']],
  ['an answer of another type', (survey) => ({ answers: answersTo(survey, { recommend: 'nine' }) }), ['answers.recommend']],
  ['an answer to a hidden question', (survey) => ({ answers: answersTo(survey, { recommend: 9, why: 'x' }) }), ['answers.why']],
  [
    'no option, and too many choices',
    (survey) => ({ answers: answersTo(survey, { recommend: 9, uses: Array.from({ length: 2_000 }, String) }) }),
    ['answers.uses'],
  ],
  [
    'several faults at once',
    (survey) => ({ answers: answersTo(survey, { recommend: 11, uses: ['phone'] }) }),
    ['answers.recommend', 'answers.uses'],
  ],
  [
    'a question of another survey',
    (survey) => ({ answers: [...answersTo(survey, { recommend: 9 }), { question_id: survey.id, value: 1 }] }),
    ['answers.1.question_id'],
  ],
  ['a version that does not exist', (survey) => ({ answers: answersTo(survey, { recommend: 9 }), survey_version: 7 }), ['survey_version']],
])('%s is refused by name, and leaves nothing', async (_what, bodyFor, fields) => {
  const survey = await publish([NPS, WHY, USES])
  const before = await used()
  const { status, body } = await respond(survey, bodyFor(survey))
  expect([status, body.errors?.map(({ field }: { field: string }) => field)]).toEqual([400, fields])
  expect(await listed(survey)).toEqual([])
  expect(await used()).toBe(before)
})

test('a survey takes responses only while it is active, and its end is in the future', async () => {
  const draft = (await send('POST', '', { name: 'Draft', questions: [NPS] })).body
  expect(await respond(draft, { answers: [] })).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'draft' } })
  const survey = await publish([NPS])
  const answers = answersTo(survey, { recommend: 9 })
  await send('POST', `${survey.id}/close/`)
  expect(await respond(survey, { answers })).toMatchObject({ status: 409, body: { current_state: 'closed' } })
  await send('POST', `${survey.id}/publish/`)
  expect((await respond(survey, { answers })).status).toBe(201)
  await send('PATCH', `${survey.id}/`, { closes_at: new Date(Date.now() - 1_000).toISOString() })
  expect(await respond(survey, { answers })).toMatchObject({ status: 409, body: { current_state: 'closed' } })
})

test('a page that shows an older version may still send its answers', async () => {
  const first = await publish([NPS, WHY])
  const next = (await send('PATCH', `${first.id}/`, { questions: [{ ...NPS, required: false }, USES] })).body as Survey
  const answers = answersTo(first, { recommend: 3, why: 'It is slow.' })
  expect((await respond(first, { answers })).body.errors).toMatchObject([{ code: 'unknown_question' }])
  expect((await respond(first, { answers, survey_version: 1 })).body).toMatchObject({ survey_version: 1, nps_score: 3 })
  expect((await respond(next, { answers: answersTo(next, { uses: ['cli'] }) })).body).toMatchObject({ survey_version: 2, nps_score: null })
})

test('of twenty respondents at once exactly as many are taken as the limit allows, and the last one closes the survey', async () => {
  const survey = await publish([NPS], { response_limit: 3 })
  const answers = answersTo(survey, { recommend: 9 })
  const before = await used()
  const statuses = await Promise.all(Array.from({ length: TWENTY }, async () => (await respond(survey, { answers })).status))
  expect(statuses.toSorted()).toEqual([201, 201, 201, ...Array.from({ length: TWENTY - 3 }, () => 409)])
  expect((await send('GET', `${survey.id}/`)).body).toMatchObject({ status: 'closed', response_count: 3 })
  const [last, ...others] = await listed(survey)
  expect(others).toHaveLength(2)
  expect(await used()).toBe(before + 3)

  await send('DELETE', `${survey.id}/responses/${last}/`)
  expect((await respond(survey, { answers })).status).toBe(409)
  await send('POST', `${survey.id}/publish/`)
  expect((await respond(survey, { answers })).status).toBe(201)
  expect((await respond(survey, { answers })).status).toBe(409)
})

test('a limit that comes later counts the responses that are there', async () => {
  const survey = await publish([NPS])
  const answers = answersTo(survey, { recommend: 9 })
  const ids: string[] = []
  for (let sent = 0; sent < 3; sent += 1) ids.push((await respond(survey, { answers })).body.id)
  await send('DELETE', `${survey.id}/responses/${ids[0]}/`)
  expect((await send('PATCH', `${survey.id}/`, { response_limit: 3 })).body).toMatchObject({ status: 'active', response_count: 2 })
  expect((await respond(survey, { answers })).status).toBe(201)
  await send('PATCH', `${survey.id}/`, { response_limit: null })
  await send('POST', `${survey.id}/publish/`)
  expect((await respond(survey, { answers })).status).toBe(201)
  expect((await send('PATCH', `${survey.id}/`, { response_limit: 2 })).body).toMatchObject({ status: 'closed', response_count: 4 })
})

test('a respondent answers once where the survey says so, also of twenty requests at once, until the response is deleted', async () => {
  const survey = await publish([NPS], { one_per_respondent: true })
  const answers = answersTo(survey, { recommend: 9 })
  const answer = (respondent?: object) => respond(survey, { answers, respondent })
  expect((await answer()).body.errors).toMatchObject([{ field: 'respondent', code: 'required' }])
  const received = await Promise.all(Array.from({ length: TWENTY }, () => answer({ external_id: 'user_1' })))
  expect(received.filter(({ status }) => status === 201)).toHaveLength(1)
  const refused = received.filter(({ status }) => status !== 201)
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(new Set(['409 already_exists']))
  expect((await answer({ email: 'ada@example.com' })).status).toBe(201)
  expect((await answer({ email: 'Ada@example.com' })).status).toBe(409)
  expect((await answer({ external_id: 'user_2' })).status).toBe(201)

  const id = received.find(({ status }) => status === 201)?.body.id
  expect((await send('DELETE', `${survey.id}/responses/${id}/`)).status).toBe(204)
  expect((await answer({ external_id: 'user_1' })).status).toBe(201)
})

test('a list is filtered by version, score, time, language, channel, respondent and answers', async () => {
  const first = await publish([NPS, WHY, USES])
  const sent: Record<string, string> = {}
  const add = async (name: string, survey: Survey, given: Record<string, unknown>, fields: object = {}) => {
    sent[name] = (await respond(survey, { answers: answersTo(survey, given), ...fields })).body.id
  }
  await add('ada', first, { recommend: 3, why: 'It is slow.', uses: ['api'] }, { language: 'en', respondent: { external_id: 'ada' } })
  await add('bob', first, { recommend: 8, uses: ['api', 'cli'] }, { language: 'de' })
  const next = (await send('PATCH', `${first.id}/`, { questions: [NPS, WHY, USES, { ...USES, ref: 'more' }] })).body as Survey
  await add('cem', next, { recommend: 10, more: ['api'] }, { respondent: { external_id: 'cem' } })
  const middle = (await send('GET', `${first.id}/responses/${sent.bob}/`)).body.completed_at

  const uses = idOf(next, 'uses')
  for (const [query, names] of [
    ['', ['cem', 'bob', 'ada']],
    ['survey_version=1', ['bob', 'ada']],
    ['min_score=8', ['cem', 'bob']],
    ['max_score=8', ['bob', 'ada']],
    ['min_score=4&max_score=9', ['bob']],
    ['language=de', ['bob']],
    ['channel=api&limit=2', ['cem', 'bob']],
    ['channel=public', []],
    ['external_id=ada', ['ada']],
    ['external_id=ada&min_score=5', []],
    [`question_id=${uses}`, ['bob', 'ada']],
    [`question_id=${uses}&value=cli`, ['bob']],
    ['value=api', ['cem', 'bob', 'ada']],
    ['value=10', ['cem']],
    ['value=It%20is%20slow.', ['ada']],
    [`completed_before=${middle}`, ['ada']],
    [`completed_after=${middle}`, ['cem', 'bob']],
    [`completed_after=${middle}&created_after=2020-01-01T00:00:00Z&language=de`, ['bob']],
  ] as const) {
    expect([query, await listed(first, query)]).toEqual([query, names.map((name) => sent[name])])
  }
})

test('a version beyond any is a field error, not a failure', async () => {
  const survey = await publish([NPS])
  const { status, body } = await send('GET', `${survey.id}/responses/?survey_version=${2 ** 31}`)
  expect([status, body.errors]).toMatchObject([400, [{ field: 'survey_version', code: 'too_big' }]])
  expect(await listed(survey, `survey_version=${2 ** 31 - 1}`)).toEqual([])
})

test('a viewer reads responses without e-mail addresses', async () => {
  const survey = await publish([NPS])
  const { id } = (await respond(survey, { answers: answersTo(survey, { recommend: 9 }), respondent: { email: 'ada@example.com' } })).body
  const viewer = await makeCredential(service, (await team.join('viewer')).id, 'pat')
  const path = `${surveys}${survey.id}/responses/`
  const answer = await service.send('GET', `${path}${id}/`, viewer)
  expect([answer.status, answer.body.respondent.email]).toEqual([200, null])
  expect((await service.send('GET', path, viewer)).body.results[0].respondent.email).toBe(null)
})

test('a deleted survey takes its responses along', async () => {
  const survey = await publish([NPS])
  const { id } = (await respond(survey, { answers: answersTo(survey, { recommend: 9 }) })).body
  expect((await send('DELETE', `${survey.id}/`)).status).toBe(204)
  for (const [method, path] of [
    ['GET', ''],
    ['GET', `${id}/`],
    ['DELETE', `${id}/`],
  ] as const) {
    expect((await send(method, `${survey.id}/responses/${path}`)).status).toBe(404)
  }
  expect((await respond(survey, { answers: [] })).status).toBe(404)
})

async function publish(questions: object[], settings: object = {}): Promise<Survey> {
  const { status, body } = await send('POST', '', { name: 'Survey', questions: questions as QuestionInput[], ...settings })
  expect([status, body]).toMatchObject([201, {}])
  return (await send('POST', `${body.id}/publish/`)).body
}

function idOf({ questions }: Survey, ref: string): string {
  return questions.find((question) => question.ref === ref)?.id ?? ''
}

function answersTo(survey: Survey, values: Record<string, unknown>) {
  return Object.entries(values).map(([ref, value]) => ({ question_id: idOf(survey, ref), value }))
}

function respond({ id }: Survey, body: object) {
  return send('POST', `${id}/responses/`, body)
}

async function listed({ id }: Survey, query = ''): Promise<string[]> {
  const { body } = await send('GET', `${id}/responses/?${query}`)
  return body.results.map((response: { id: string }) => response.id)
}

/** Responses that count towards the quota. */
async function used(): Promise<number> {
  const { quotas } = await service.client(team.token).teams.usage({ team_id: team.id })
  return quotas.find(({ quota }) => quota === 'responses')?.used ?? Number.NaN
}

/** The events about a response, each with the response as it says it. */
async function eventsOf(id: string): Promise<[string, object][]> {
  const events = await service.database.run<{ type: string; payload: string }>(
    "select type, payload from events where team_id = $1 and payload::jsonb -> 'data' -> 'response' ->> 'id' = $2 order by id",
    [team.id, id],
  )
  return events.map(({ type, payload }) => [type, JSON.parse(payload).data.response])
}

function send(method: string, path: string, body?: object) {
  return service.send(method, surveys + path, { token: team.token, ...(body && { body }) })
}
