import { gzipSync } from 'node:zlib'
import type { Survey } from '@earshot/contracts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeFormToken } from '../../server/src/auth/form-token.ts'
import { buildPages } from '../support/built-pages.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { NPS, SOURCE, WHY } from '../support/questions.ts'
import { startTestService, type TestResponse, type TestService } from '../support/test-service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const HOSTILE = `</script><img src=x onerror=alert(1)>"'`
const FIRST_LOAD_BYTES = 25_000
const options = ['api', 'cli', 'web'].map((value) => ({ value, label: value.toUpperCase() }))
/** One question of each type. */
const ALL_TYPES = [
  NPS,
  WHY,
  SOURCE,
  { ref: 'uses', type: 'multiple_choice', title: 'What do you use?', options, max_choices: 2 },
  { ref: 'stars', type: 'rating', title: 'How do you rate us?' },
  { ref: 'happy', type: 'csat', title: 'How satisfied are you?', low_label: 'Not at all', high_label: 'Very' },
  { ref: 'easy', type: 'ces', title: 'How easy was it?' },
  { ref: 'stays', type: 'boolean', title: 'Will you stay?' },
  { ref: 'seats', type: 'number', title: 'How many are you?', integer: true, min: 1 },
  { ref: 'since', type: 'date', title: 'Since when?' },
  { ref: 'email', type: 'email', title: 'Where can we write to you?' },
  { ref: 'site', type: 'url', title: 'Your website?' },
  { ref: 'word', type: 'short_text', title: 'In a word?', max_length: 10 },
  { ref: 'agree', type: 'consent', title: 'May we write to you?' },
  { ref: 'bye', type: 'statement', title: 'That was all.' },
]
const ANSWERS = {
  ...{ 'q.recommend': '9', 'q.source': 'web', 'q.uses.0': 'api', 'q.uses.2': 'web', 'q.stars': '4', 'q.happy': '5', 'q.easy': '7' },
  ...{ 'q.stays': 'no', 'q.seats': '3', 'q.since': '2026-01-02', 'q.email': 'ada@example.com', 'q.site': 'https://ada.example' },
  ...{ 'q.word': 'Good', 'q.agree': 'yes' },
}

let service: TestService
let team: Team
beforeAll(async () => {
  buildPages()
  service = await startTestService({ trustProxy: () => true })
}, 60_000)
beforeEach(async () => {
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test('the preview has the styles of the page, no survey, and shows in frames of its own origin alone', async () => {
  const survey = await publish(ALL_TYPES)
  const [page, preview] = [await open(survey), await service.send('GET', '/s/preview?lang=de')]
  const stylesOf = ({ body }: TestResponse) => body.match(/<link rel="stylesheet" href="\/assets\/[^"]+">/g)
  expect(stylesOf(preview)).toEqual(stylesOf(page))
  expect(stylesOf(preview)).not.toBeNull()
  expect([preview.status, preview.headers.get('set-cookie')]).toEqual([200, null])
  expect(preview.body).toContain('<html lang="de" dir="ltr">')
  expect(preview.body).not.toContain('<form')
  const policy = preview.headers.get('content-security-policy')?.split('; ')
  expect(policy).toEqual(
    expect.arrayContaining(["default-src 'none'", "frame-ancestors 'self'", "script-src 'self'", 'trusted-types earshot-preview']),
  )
  // Those of visitors stay as they are.
  expect(page.headers.get('content-security-policy')?.split('; ')).toEqual(
    expect.arrayContaining(['frame-ancestors *', "trusted-types 'none'"]),
  )
})

test('all questions are on the page, which works without script and stores every type of answer', async () => {
  const survey = await publish(ALL_TYPES, { thank_you_text: 'Bless you!' })
  const { status, headers, body } = await open(survey)
  expect([status, headers.get('set-cookie'), headers.get('cache-control')]).toEqual([200, null, 'no-cache'])
  for (const { title } of ALL_TYPES) expect(body).toContain(title)
  expect(body.match(/name="q\.recommend"/g)).toHaveLength(11)
  const sent = await send(survey, { ...ANSWERS, 'q.why': 'Hidden by the score' }, '?plan=pro&external_id=user_42&lang=en&embed')
  expect([sent.status, sent.body.includes('Bless you!')]).toEqual([200, true])
  const [row, ...others] = await responses(survey)
  expect(others).toEqual([])
  const byRef = Object.fromEntries((row?.answers ?? []).map(({ question_id, value }) => [refOf(survey, question_id), value]))
  expect(byRef).toEqual({
    ...{ recommend: 9, source: 'web', uses: ['api', 'web'], stars: 4, happy: 5, easy: 7, stays: false, seats: 3, since: '2026-01-02' },
    ...{ email: 'ada@example.com', site: 'https://ada.example', word: 'Good', agree: true },
  })
  expect(row).toMatchObject({ hidden: { plan: 'pro' }, respondent: { external_id: 'user_42' }, channel: 'public', language: 'en' })
  expect(row?.duration_ms).toBeGreaterThanOrEqual(0)
})

test('errors stand beside their questions, and every answer stays', async () => {
  const survey = await publish(ALL_TYPES)
  const wrong = { ...ANSWERS, 'q.uses.1': 'cli', 'q.seats': 'many', 'q.since': 'soon', 'q.email': 'nobody', 'q.word': 'x'.repeat(11) }
  const { 'q.recommend': _none, ...given } = wrong
  const { status, body } = await send(survey, given)
  expect(status).toBe(400)
  expect(
    Object.fromEntries(['recommend', 'uses', 'seats', 'since', 'email', 'word', 'site'].map((ref) => [ref, problem(body, ref)])),
  ).toEqual({
    recommend: 'Please answer this question.',
    uses: 'Choose at most 2.',
    seats: 'Please enter a whole number.',
    since: 'Please enter a date.',
    email: 'This is not an e-mail address.',
    word: 'Please use at most 10 characters.',
    site: '',
  })
  for (const kept of ['value="nobody"', 'value="many"', 'name="q.uses.1" value="cli" checked', 'name="q.stars" value="4" checked'])
    expect(body).toContain(kept)
  expect(await responses(survey)).toEqual([])
})

test('questions come in the best match of what the visitor reads, and the buttons with them', async () => {
  const translations = { de: { questions: { recommend: { title: 'Empfehlen Sie uns?' } } } }
  const survey = await publish([NPS], { translations })
  for (const [accept, title, lang] of [
    ['fr, de;q=0.8', 'Empfehlen Sie uns?', 'de'],
    ['de-AT', 'Empfehlen Sie uns?', 'de'],
    ['fr', NPS.title, 'en'],
  ] as const) {
    const { body } = await open(survey, '', { 'accept-language': accept })
    expect(body).toContain(title)
    expect(body).toContain(`<html lang="${lang}"`)
  }
  expect((await open(survey, '?lang=de', { 'accept-language': 'en' })).body).toContain('Empfehlen Sie uns?')
})

test('a closed survey, one that is closed meanwhile, a second answer and a draft have their words', async () => {
  const survey = await publish([NPS], { one_per_respondent: true })
  const answer = { 'q.recommend': '9' }
  expect((await send(survey, answer, '?external_id=u1')).status).toBe(200)
  const again = await send(survey, { 'q.recommend': '8' }, '?external_id=u1')
  expect([again.status, again.body.includes('Each person can answer this survey once.')]).toEqual([409, true])
  await service.client(team.token).surveys.close({ ...team.project, survey_id: survey.id })
  const late = await send(survey, { 'q.recommend': '7' })
  expect([late.status, late.body.includes('It does not take answers any more.')]).toEqual([409, true])
  expect(late.body).toContain('value="7" checked')
  expect((await open(survey)).body).toContain('<h1>This survey is closed</h1>')
  const draft = await service.client(team.token).surveys.create({ ...team.project, name: 'Draft', questions: [NPS] as never })
  expect((await open(draft)).status).toBe(404)
})

test('the theme of the address is the look of the page, and no hidden field', async () => {
  const survey = await publish([NPS])
  const { body } = await open(survey, '?theme=dark&plan=pro')
  expect(body).toContain('<html lang="en" dir="ltr" data-theme="dark">')
  const data = JSON.parse(/id="data">(.*?)<\/script>/s.exec(body)?.[1] ?? '')
  expect(data.hidden).toEqual({ plan: 'pro' })
  const sent = await send(survey, { 'q.recommend': '9' }, '?theme=dark&plan=pro')
  expect([sent.status, sent.body.includes(' data-theme="dark">')]).toEqual([200, true])
  expect((await responses(survey))[0]?.hidden).toEqual({ plan: 'pro' })
})

test('hostile texts of a survey and of its address are text', async () => {
  const survey = await publish([
    { ref: 'evil', type: 'single_choice', title: HOSTILE, description: HOSTILE, options: [{ value: HOSTILE, label: HOSTILE }] },
  ])
  const { body } = await open(survey, `?${new URLSearchParams({ plan: HOSTILE })}`)
  expect(body).not.toMatch(/<img|<\/script><img/)
  const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(body)?.[1] ?? ''
  expect(JSON.parse(data)).toMatchObject({ hidden: { plan: HOSTILE } })
})

test(`everything that the first visit loads has at most ${FIRST_LOAD_BYTES} bytes`, async () => {
  const { body } = await open(await publish(ALL_TYPES))
  const loaded = /<(?:link rel="(?:stylesheet|modulepreload)" href|script type="module" src)="([^"]+)"/g
  const addresses = [...body.matchAll(loaded)].map(([, address = '']) => address)
  expect(addresses.length).toBeGreaterThanOrEqual(3)
  const parts = await Promise.all(addresses.map(async (address) => Buffer.from(await (await fetch(service.url + address)).arrayBuffer())))
  const bytes = [Buffer.from(body), ...parts].reduce((sum, part) => sum + gzipSync(part, { level: 9 }).length, 0)
  expect(bytes).toBeLessThanOrEqual(FIRST_LOAD_BYTES)
})

async function publish(questions: object[], fields: object = {}): Promise<Survey> {
  const { surveys } = service.client(team.token)
  // What the API takes as it is sent.
  const { id: survey_id } = await surveys.create({ ...team.project, name: 'Survey', questions: questions as never, ...fields })
  return surveys.publish({ ...team.project, survey_id })
}

function open({ id }: { id: string }, query = '', headers: Record<string, string> = {}): Promise<TestResponse> {
  return service.send('GET', `/s/${id}${query}`, { headers: { 'accept-encoding': 'identity', ...headers } })
}

function send({ id }: Survey, fields: Record<string, string>, query = ''): Promise<TestResponse> {
  const form_token = makeFormToken(service.secretBox, Date.now() - 3_000)
  return service.send('POST', `/s/${id}${query}`, {
    headers: FORM,
    body: String(new URLSearchParams({ form_token, ...fields, started_at: new Date().toISOString() })),
  })
}

async function responses({ id }: Survey) {
  return (await service.client(team.token).responses.list({ ...team.project, survey_id: id })).results
}

function refOf({ questions }: Survey, id: string): string | undefined {
  return questions.find((question) => question.id === id)?.ref
}

function problem(page: string, ref: string): string | undefined {
  return new RegExp(`id="q-${ref}-problem">([^<]*)<`).exec(page)?.[1]
}
