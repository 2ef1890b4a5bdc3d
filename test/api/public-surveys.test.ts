import type { Survey } from '@earshot/contracts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeFormToken } from '../../server/src/auth/form-token.ts'
import { arriveTogether } from '../support/arrive-together.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { NPS, SOURCE, WHY } from '../support/questions.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const GERMAN = {
  thank_you_text: 'Danke!',
  questions: {
    recommend: { title: 'Wie wahrscheinlich empfehlen Sie uns weiter?', low_label: 'Sehr unwahrscheinlich' },
    source: { options: { friend: 'Durch Bekannte' }, low_label: 'Diese Frage hat keine Skala' },
    gone: { title: 'Eine Frage, die es nicht mehr gibt' },
  },
}

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService({ trustProxy: () => true })
})
beforeEach(async () => {
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test('a respondent gets what a survey asks and nothing of the team', async () => {
  const survey = await publish([NPS, WHY], { thank_you_text: 'Thank you!', response_limit: 10 })
  const { status, headers, body } = await read(survey)
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  const { form_token, ...shown } = body
  expect(form_token).toEqual(expect.any(String))
  const { questions } = survey
  expect(shown).toEqual({
    ...{ id: survey.id, status: 'active', version: 1, language: 'en', languages: ['en'], questions, thank_you_text: 'Thank you!' },
  })
})

test('texts come in the best match of the wanted language; what is not translated stays as it is', async () => {
  const survey = await publish([NPS, SOURCE], { thank_you_text: 'Thank you!', translations: { de: GERMAN, 'pt-BR': {} } })
  for (const wanted of ['de', 'de-CH', 'DE-at']) {
    const { body } = await read(survey, `?language=${wanted}`)
    expect(body).toMatchObject({ language: 'de', languages: ['en', 'de', 'pt-BR'], thank_you_text: 'Danke!' })
    const [nps, source] = body.questions
    expect(nps).toEqual({ ...survey.questions[0], ...GERMAN.questions.recommend })
    expect(source).toEqual({
      ...survey.questions[1],
      options: [
        { value: 'friend', label: 'Durch Bekannte' },
        { value: 'web', label: 'The web' },
      ],
    })
  }
  for (const [wanted, found] of [
    ['fr', 'en'],
    ['pt-br', 'pt-BR'],
    ['en-US', 'en'],
  ]) {
    expect((await read(survey, `?language=${wanted}`)).body).toMatchObject({ language: found, thank_you_text: 'Thank you!' })
  }
})

test('a draft, a deleted survey and an unknown one are not found; a closed one says so and takes no answers', async () => {
  const draft = await send('POST', '', { name: 'Draft', questions: [NPS] })
  const survey = await publish([NPS])
  const unknown = { ...survey, id: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01' }
  for (const hidden of [draft.body, unknown]) {
    expect((await read(hidden)).status).toBe(404)
    expect((await answer(hidden, { answers: [] })).status).toBe(404)
  }
  await send('PATCH', `${survey.id}/`, { closes_at: new Date(Date.now() - 1_000).toISOString() })
  expect((await read(survey)).body.status).toBe('closed')
  expect(await answer(survey, { answers: nine(survey) })).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
  await send('DELETE', `${survey.id}/`)
  expect((await read(survey)).status).toBe(404)
  for (const text of ['x', survey.id.toUpperCase(), `${survey.id}'`]) {
    expect([400, 404]).toContain((await service.send('GET', `/api/public/v1/surveys/${encodeURIComponent(text)}/`)).status)
  }
})

test('a visitor’s answers are checked, stored and sent as events, with the quota of the team', async () => {
  const survey = await publish([NPS, WHY])
  const { form_token } = (await read(survey)).body
  expect((await answer(survey, { answers: nine(survey), form_token })).body.errors).toMatchObject([{ field: 'form_token' }])
  expect((await answer(survey, { answers: [] })).body.errors).toMatchObject([{ field: 'answers.recommend', code: 'required' }])
  const fields = { survey_version: 1, respondent: { email: 'ada@example.com' }, language: 'de', hidden: { page: '/pricing' } }
  const { status, body } = await answer(survey, {
    answers: nine(survey),
    ...fields,
    form_token: makeFormToken(service.secretBox, Date.now() - 60_000),
  })
  expect([status, Object.keys(body).toSorted()]).toEqual([201, ['created_at', 'id']])
  expect((await send('GET', `${survey.id}/responses/${body.id}/`)).body).toMatchObject({
    ...{ ...fields, id: body.id, created_at: body.created_at, channel: 'public', nps_score: 9 },
    respondent: { email: 'ada@example.com', external_id: null },
  })
  const events = await service.database.run('select type from events where team_id = $1 and type = $2', [
    team.id,
    'survey.response.created',
  ])
  expect(events).toHaveLength(1)
})

test('respondents who come together share statements, and each gets an own response', async () => {
  const survey = await publish([NPS])
  const sent = service.statements.length
  const receipts = await arriveTogether(
    service,
    Array.from({ length: 40 }, (_value, index) => () => answer(survey, { answers: nine(survey) }, `203.0.113.${index}`)),
  )
  expect(new Set(receipts.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(40)
  expect(receipts.every(({ status }) => status === 201)).toBe(true)
  const shared = service.statements.slice(sent).filter((text) => text.includes('store_responses'))
  expect(shared.length).toBeLessThan(20)
})

test('the same answers from one address within ten minutes are one response, also of twenty requests at once', async () => {
  const survey = await publish([NPS], { response_limit: 2 })
  const receipts = await Promise.all(Array.from({ length: 20 }, () => answer(survey, { answers: nine(survey) })))
  expect(new Set(receipts.map(({ status, body }) => `${status} ${body.id} ${body.created_at}`)).size).toBe(1)
  expect((await send('GET', `${survey.id}/`)).body.response_count).toBe(1)
  const other = await answer(survey, { answers: nine(survey) }, '203.0.113.9')
  expect([other.status, other.body.id !== receipts[0]?.body.id]).toEqual([201, true])
  expect((await read(survey)).body.status).toBe('closed')
})

test('every answer counts once against the limit of its address, stored or refused', async () => {
  const survey = await publish([NPS], { one_per_respondent: true, response_limit: 2 })
  const by = (external_id: string, value = 9) => ({
    answers: [{ question_id: survey.questions[0]?.id, value }],
    respondent: { external_id },
  })
  const outcomes: unknown[][] = []
  for (const body of [by('ada'), by('ada', 8), by('bob', 11), by('bob'), by('eve')]) {
    const { status, body: reply, headers } = await answer(survey, body, '203.0.113.77')
    outcomes.push([status, reply.code, Number(headers.get('x-ratelimit-remaining'))])
  }
  const left = Number(outcomes[0]?.[2])
  expect(outcomes).toEqual([
    [201, undefined, left],
    [409, 'already_exists', left - 1],
    [400, 'validation_error', left - 2],
    [201, undefined, left - 3],
    [409, 'state_conflict', left - 4],
  ])
})

test('a bot that fills in the trap field is told of a success, and nothing is stored', async () => {
  const survey = await publish([NPS])
  expect((await answer(survey, { answers: nine(survey), website: 'https://spam.example.com' })).status).toBe(201)
  expect((await send('GET', `${survey.id}/responses/`)).body.results).toEqual([])
  const forged = await answer(survey, { answers: nine(survey), form_token: 'forged' })
  expect(forged.body.errors).toMatchObject([{ field: 'form_token' }])
})

async function publish(questions: object[], settings: object = {}): Promise<Survey> {
  const { status, body } = await send('POST', '', { name: 'Survey', questions, ...settings })
  expect([status, body]).toMatchObject([201, {}])
  return (await send('POST', `${body.id}/publish/`)).body
}

function nine({ questions }: Survey) {
  return [{ question_id: questions[0]?.id, value: 9 }]
}

function read({ id }: Survey, query = '') {
  return service.send('GET', `/api/public/v1/surveys/${id}/${query}`, { headers: { origin: 'https://shop.example.com' } })
}

function answer({ id }: Survey, body: object, address = '198.51.100.7') {
  return service.send('POST', `/api/public/v1/surveys/${id}/responses/`, { body, headers: { 'x-forwarded-for': address } })
}

function send(method: string, path: string, body?: object) {
  const surveys = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/surveys/`
  return service.send(method, surveys + path, { token: team.token, ...(body && { body }) })
}
