import { openTeamDatabase, type TeamDatabase } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAddress } from '../support/erasures.ts'
import { makeTeam } from '../support/people.ts'
import { answersTo, COUNTED } from '../support/survey-answers.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let bound: TeamDatabase
beforeAll(async () => {
  // The address of the service's database is known only once it is there.
  service = await startTestService({ teamDatabase: { forTeam: (id) => bound.forTeam(id), close: async () => {} } })
  bound = openTeamDatabase({ address: service.address, poolSize: 1, applicationName: 'earshot test bound' })
})
afterAll(async () => {
  await bound.close()
  await service.close()
})

test('with row-level security an export finds and an erasure removes the same, and nothing of another team', async () => {
  const [team, other] = [await makeTeam(service.database), await makeTeam(service.database)]
  const client = service.client(team.token)
  const email = newAddress()
  const { id: submission_id } = await team.submit({ author_email: email, tags: ['a'], metadata: { a: 1 } })
  await client.submissions.approve({ ...team.project, submission_id })
  await other.submit({ author_email: email })
  const survey = await client.surveys.create({ ...team.project, name: 'NPS', questions: COUNTED, response_limit: 5 })
  await client.surveys.publish({ ...team.project, survey_id: survey.id })
  const answers = answersTo(survey.questions, { recommend: 9 })
  await client.responses.create({ ...team.project, survey_id: survey.id, respondent: { email }, answers })
  await client.invitations.create({ team_id: team.id, email, role: 'member' })
  const { project_id } = team.project
  await service.database.run('insert into search_lists (team_id, project_id, list_id) values ($1, $2, $2)', [team.id, project_id])

  const data = await client.privacy.export({ team_id: team.id, email })
  expect([data.submissions.length, data.responses.length, data.invitations.length, data.events]).toEqual([1, 1, 1, 4])
  const { counts } = await client.privacy.erase({ team_id: team.id, email })
  expect(counts).toMatchObject({ submissions: 1, responses: 1, invitations: 1 })
  const left = await service.database.run('select team_id from submissions where author_email = $1', [email])
  expect(left).toEqual([{ team_id: other.id }])
  expect(await client.submissions.counts(team.project)).toMatchObject({ total: 0 })
})
