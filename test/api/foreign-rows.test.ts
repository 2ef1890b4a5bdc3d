import { openDatabase } from '@earshot/db'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

// PostgreSQL's replies are altered on their way, as if they were those of another team's statement.

let remote: RemoteDatabase
let service: TestService
let team: Team
let other: Team
const metrics = new Registry()

beforeAll(async () => {
  remote = await openRemoteDatabase()
  const database = openDatabase({
    ...{ address: { url: remote.environment.DATABASE_URL }, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot test' },
  })
  const store = { address: remote.address, database, statements: [], close: database.close }
  service = await startTestService({ metrics }, { store })
  team = await makeTeam(remote.database)
  other = await makeTeam(remote.database)
  await team.submit({ body: 'Words of this team' })
})
beforeEach(() => remote.proxy.alterReplies(null))
afterAll(async () => {
  remote.proxy.alterReplies(null)
  await service.close()
  await remote[Symbol.asyncDispose]()
})

/** Makes rows that contain a text those of the other team. */
function alterRowsWith(text: string): void {
  remote.proxy.alterReplies((bytes) =>
    bytes.includes(text) ? Buffer.from(bytes.toString('latin1').replaceAll(team.id, other.id), 'latin1') : bytes,
  )
}

const listPath = () => `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
const refusals = async () => (await metrics.getSingleMetric('earshot_foreign_rows_total')?.get())?.values[0]?.value

test('a row of another team is never presented: 500, and a figure counts it', async () => {
  expect((await service.send('GET', listPath(), { token: team.token })).status).toBe(200)
  const before = await refusals()
  alterRowsWith('Words of this team')
  const { status, body } = await service.send('GET', listPath(), { token: team.token })
  expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal_error' })
  expect(await refusals()).toBe(Number(before) + 1)
})

test('nor by a change, which is rolled back', async () => {
  alterRowsWith('Words of this team')
  const headers = { 'idempotency-key': 'changed' }
  const created = await service.send('POST', listPath(), {
    ...{ token: team.token, headers, body: { body: 'Words of this team, again', author: { name: 'Ada' } } },
  })
  expect({ status: created.status, code: created.body.code }).toEqual({ status: 500, code: 'internal_error' })
  remote.proxy.alterReplies(null)
  const { body } = await service.send('GET', listPath(), { token: team.token })
  expect(body.results).toHaveLength(1)
})

test('the access of another team is not taken for the own', async () => {
  alterRowsWith(team.id)
  const { status, body } = await service.send('GET', listPath(), { token: team.token })
  expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal_error' })
})

test('nor by a statement that requests share', async () => {
  const client = service.client(team.token)
  const questions = [{ ref: 'words', type: 'short_text' as const, title: 'Words that only this survey has' }]
  const survey = await client.surveys.create({ ...team.project, name: 'Survey', questions })
  await client.surveys.publish({ ...team.project, survey_id: survey.id })
  const answers = [{ question_id: survey.questions[0]?.id, value: 'Fine' }]
  const respond = () => service.send('POST', `/api/public/v1/surveys/${survey.id}/responses/`, { body: { answers } })
  const before = await refusals()
  alterRowsWith('Words that only this survey has')
  const refused = await respond()
  expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 500, code: 'internal_error' })
  expect(await refusals()).toBe(Number(before) + 1)
  remote.proxy.alterReplies(null)
  expect((await respond()).status).toBe(201)
})
