import type { Worker } from '@earshot/jobs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect, newAddress } from '../support/erasures.ts'
import { makeTeam } from '../support/people.ts'
import { answersTo, COUNTED } from '../support/survey-answers.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

let service: TestService
let worker: Worker
beforeAll(async () => {
  service = await startTestService()
  worker = await startWholeWorker(service)
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 5_000 })
  await service.close()
})

test('an export has all that a person left, with addresses, and is recorded without the address', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  const own = await team.submit({ author_email: email })
  const written = await team.submit({ body: `I am ${email}` })
  const other = await team.submit({ author_email: newAddress(), body: `${email} told me` })
  await team.submit({ author_email: newAddress() })
  const survey = await client.surveys.create({ ...team.project, name: 'NPS', questions: COUNTED })
  await client.surveys.publish({ ...team.project, survey_id: survey.id })
  const response = await client.responses.create({
    ...{ ...team.project, survey_id: survey.id, respondent: { email } },
    answers: answersTo(survey.questions, { recommend: 9 }),
  })
  const invitation = await client.invitations.create({ team_id: team.id, email, role: 'member' })
  const token = await team.tokenOf('admin', ['write:privacy'])
  const data = await service.client(token).privacy.export({ team_id: team.id, email: email.toUpperCase() })
  expect(data).toMatchObject({
    submissions: [{ id: own.id, author: { email } }, { id: written.id }],
    responses: [{ id: response.id, respondent: { email } }],
    invitations: [{ id: invitation.id, email }],
    mentions: [{ type: 'submission', id: other.id }],
    next_cursor: null,
  })
  expect(await client.privacy.requests.retrieve({ team_id: team.id, request_id: data.request_id })).toMatchObject({
    ...{ kind: 'export', state: 'completed' },
    counts: { submissions: 2, responses: 1, invitations: 1 },
  })
  const [entry] = await collect(client.teams.auditLog.list({ team_id: team.id, action: 'privacy.exported' }))
  expect(entry).toMatchObject({ target: { id: data.request_id }, changes: {} })
})

test('a large export comes in pages, whose cursor is good for this person alone', async () => {
  const team = await makeTeam(service.database)
  const client = service.client(team.token)
  const email = newAddress()
  for (let number = 0; number < 550; number += 1) await team.submit({ author_email: email, body: `Number ${number}` })
  const first = await client.privacy.export({ team_id: team.id, email })
  const cursor = first.next_cursor ?? ''
  const second = await client.privacy.export({ team_id: team.id, email, cursor })
  expect([first.submissions.length, second.submissions.length, second.next_cursor]).toEqual([500, 50, null])
  expect(second.request_id).toBe(first.request_id)
  for (const [address, wrong] of [
    [newAddress(), cursor],
    [email, 'x'],
    [email, Buffer.from('a 0').toString('base64url')],
  ])
    await expect(client.privacy.export({ team_id: team.id, email: address ?? '', cursor: wrong })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
  expect(await collect(client.teams.auditLog.list({ team_id: team.id, action: 'privacy.exported' }))).toHaveLength(1)
})
