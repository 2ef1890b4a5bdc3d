import type { Survey } from '@earshot/contracts'
import { foldResponseChanges, foldSubmissionChanges } from '@earshot/db/dispatch'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { NPS } from '../support/questions.ts'
import { answersTo } from '../support/survey-answers.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const DAY_MS = 86_400_000

let service: TestService
let team: Team
let base: string
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  team = await makeTeam(service.database)
  base = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/`
})
afterAll(() => service.close())

test('the score of a project is of all its surveys, with every day of the range', async () => {
  const [first, second, gone] = [await publish(), await publish(), await publish()]
  await respond(first, [10, 9, 7])
  await respond(second, [0])
  await respond(gone, [0, 0, 0])
  await service.send('DELETE', `${base}surveys/${gone.id}/`, { token: team.token })
  const today = dayOf(0)
  const expected = { score: 25, answered: 4, promoters: 2, passives: 1, detractors: 1 }
  const shares = { promoters_percent: 50, passives_percent: 25, detractors_percent: 25 }
  const look = async () => {
    const { series, ...figures } = await get('analytics/nps/')
    expect(figures).toEqual({ from: dayOf(29), to: today, timezone: 'UTC', ...expected, ...shares })
    expect(series).toHaveLength(30)
    expect(series.at(-1)).toEqual({ start: today, score: 25, answered: 4 })
    expect(series.slice(0, -1)).toEqual(
      Array.from({ length: 29 }, (_value, index) => ({ start: dayOf(29 - index), score: null, answered: 0 })),
    )
    expect(await get(`analytics/nps/?survey_id=${first.id}`)).toMatchObject({ score: 66.7, answered: 3 })
    expect(await get(`analytics/nps/?survey_id=${gone.id}`)).toMatchObject({ score: null, answered: 0 })
    expect(await get('analytics/nps/?language=de')).toMatchObject({ answered: 0 })
    expect(await get(`analytics/nps/?from=${dayOf(10)}&to=${dayOf(1)}`)).toMatchObject({ answered: 0 })
  }
  await look()
  await foldAll()
  await look()
})

test('weeks begin on Monday, months on the first, and only days of the range count', async () => {
  const survey = await publish()
  await respond(survey, [10, 0, 9, 8])
  const days = ['2026-03-01', '2026-03-02', '2026-03-08', '2026-04-01']
  for (const [index, day] of days.entries()) {
    for (const table of ['response_changes', 'survey_responses']) {
      await service.database.run(
        `update ${table} set day = $1 where (team_id, id) in (select team_id, id from ${table} where survey_id = $2 order by id offset $3 limit 1)`,
        [day, survey.id, index],
      )
    }
  }
  const series = async (query: string) =>
    (await get(`analytics/nps/?${query}`)).series.map(({ start, score, answered }: Record<string, unknown>) => [start, score, answered])
  const range = 'from=2026-03-01&to=2026-03-09'
  expect(await series(`${range}&interval=week`)).toEqual([
    ['2026-02-23', 100, 1],
    ['2026-03-02', 0, 2],
    ['2026-03-09', null, 0],
  ])
  expect(await series('from=2026-03-02&to=2026-04-30&interval=month')).toEqual([
    ['2026-03-01', 0, 2],
    ['2026-04-01', 0, 1],
  ])
  expect((await series(range)).filter(([, , answered]: unknown[]) => answered !== 0)).toEqual([
    ['2026-03-01', 100, 1],
    ['2026-03-02', -100, 1],
    ['2026-03-08', 100, 1],
  ])
})

test('the overview counts what arrived, by what it is now, against as many days before', async () => {
  const client = service.client(team.token)
  const consented = { consent_granted: true }
  const [public1, public2] = [await team.submit({ rating: 5, ...consented }), await team.submit({ rating: 4, ...consented })]
  const [rejected, deleted] = [await team.submit({ rating: 1 }), await team.submit({ rating: 2 })]
  await team.submit({ kind: 'testimonial', channel: 'dashboard' })
  const before = await team.submit({ channel: 'public' })
  for (const { id } of [public1, public2]) await client.submissions.approve({ ...team.project, submission_id: id })
  await client.submissions.reject({ ...team.project, submission_id: rejected.id })
  await client.submissions.delete({ ...team.project, submission_id: deleted.id })
  await service.database.run('update submissions set day = day - 7 where id = $1', [before.id])
  await service.database.run(
    "update submissions set moderated_at = created_at + interval '90 minutes' where moderated_at is not null and team_id = $1",
    [team.id],
  )
  await respond(await publish(), [10, 3])
  const look = async () => {
    const { current, previous, days, timezone } = await get(`analytics/overview/?from=${dayOf(6)}`)
    expect(timezone).toBe('UTC')
    expect(current).toMatchObject({ from: dayOf(6), to: dayOf(0), responses: 2, nps: { score: 0, answered: 2 } })
    expect(current.submissions).toEqual({
      total: 4,
      state: { pending: 1, approved: 2, rejected: 1 },
      kind: { text: 3, video: 0, testimonial: 1 },
      channel: { public: 0, api: 3, mcp: 0, import: 0, dashboard: 1 },
      rating: { 1: 1, 2: 0, 3: 0, 4: 1, 5: 1, none: 1 },
      average_rating: 3.33,
      public: 2,
      moderated: 3,
      average_ms_to_moderation: 5_400_000,
    })
    expect(previous).toMatchObject({ from: dayOf(13), to: dayOf(7), submissions: { total: 1, channel: { public: 1 } }, responses: 0 })
    expect(previous.submissions).toMatchObject({ average_rating: null, average_ms_to_moderation: null })
    expect(days).toHaveLength(7)
    expect(days.at(-1)).toEqual({ day: dayOf(0), submissions: 4, responses: 2 })
    expect(days[0]).toEqual({ day: dayOf(6), submissions: 0, responses: 0 })
  }
  await look()
  await foldAll()
  await look()
})

test.each<[string, string]>([
  ['a range that ends before it begins', 'from=2026-02-02&to=2026-02-01'],
  ['a range of more than two years', 'from=2020-01-01&to=2026-01-01'],
  ['a beginning after today', 'from=2999-01-01'],
])('%s is refused', async (_name, query) => {
  for (const name of ['nps', 'overview']) {
    const { status, body } = await service.send('GET', `${base}analytics/${name}/?${query}`, { token: team.token })
    expect([name, status, body]).toMatchObject([name, 400, { code: 'validation_error', errors: [{ field: 'to' }] }])
  }
})

test('today is the day that it is where the team is', async () => {
  for (const timezone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
    const change = { token: team.token, body: { settings: { timezone } } }
    expect((await service.send('PATCH', `/api/v1/teams/${team.id}/`, change)).body.settings.timezone).toBe(timezone)
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(new Date())
    await team.submit()
    const { current, days } = await get('analytics/overview/')
    expect([current.to, days.at(-1)]).toMatchObject([today, { day: today, submissions: 1 }])
  }
})

async function get(path: string) {
  const { status, body } = await service.send('GET', base + path, { token: team.token })
  expect([path, status]).toEqual([path, 200])
  return body
}

async function publish(): Promise<Survey> {
  const { body } = await service.send('POST', `${base}surveys/`, { token: team.token, body: { name: 'Survey', questions: [NPS] } })
  return (await service.send('POST', `${base}surveys/${body.id}/publish/`, { token: team.token })).body
}

async function respond({ id, questions }: Survey, scores: number[]): Promise<void> {
  for (const recommend of scores) {
    const body = { answers: answersTo(questions, { recommend }) }
    expect((await service.send('POST', `${base}surveys/${id}/responses/`, { token: team.token, body })).status).toBe(201)
  }
}

function dayOf(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10)
}

async function foldAll(): Promise<void> {
  while ((await foldResponseChanges(service.database, { max: 1_000 })) > 0);
  while ((await foldSubmissionChanges(service.database, { max: 1_000 })) > 0);
}
