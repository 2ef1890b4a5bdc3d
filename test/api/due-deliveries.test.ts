import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let team: Team
const woken: (string | null)[] = []
beforeAll(async () => {
  service = await startTestService({ onCommit: (teamId) => woken.push(teamId) })
  team = await makeTeam(service.database)
})
beforeEach(() => {
  woken.length = 0
})
afterAll(() => service.close())

async function leaveSubmission(headers: Record<string, string> = {}): Promise<void> {
  const body = { body: 'Lovely', author: { name: 'Ada' }, consent: { granted: true } }
  const path = `/api/public/v1/projects/${team.publicKey}/submissions/`
  expect(await service.send('POST', path, { body: { ...body, title: crypto.randomUUID() }, headers })).toMatchObject({ status: 201 })
}

test('a public submission without webhooks wakes no dispatcher', async () => {
  await leaveSubmission()
  expect(woken).toEqual([])
})

test('one whose deliveries are due wakes the dispatcher for its team, also with an idempotency key', async () => {
  await service.client(team.token).webhooks.create({ team_id: team.id, url: 'http://127.0.0.1:9/', events: ['submission.created'] })
  woken.length = 0
  await leaveSubmission()
  await leaveSubmission({ 'idempotency-key': crypto.randomUUID() })
  expect(woken).toEqual([team.id, team.id])
})
