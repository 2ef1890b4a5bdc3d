import { readFileSync, writeFileSync } from 'node:fs'
import type { NamedOperation } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestDispatcher, type TestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { callRest, sourcesOf } from './call.ts'
import { answerSurvey, approveOne, fillTeam } from './filled-team.ts'
import { endingOperations } from './operations.ts'
import { isOfShape, isRecording, shapesIn, withoutSecrets } from './recording.ts'
import { makeInput } from './records.ts'

/** What the OpenAPI document shows: `npm run examples` records what has no example yet, or one of another shape. */
const EXAMPLES = new URL('../../server/src/openapi/examples.json', import.meta.url)
/** Lists of what the worker writes soon after the request. */
const WRITTEN_LATER: ReadonlySet<string> = new Set(['events.list', 'webhooks.deliveries.list'])

const stored: Record<string, unknown> = JSON.parse(readFileSync(EXAMPLES, 'utf8'))
const recorded: Record<string, unknown> = {}
const answering = endingOperations.filter(({ operation }) => operation.status !== 204)

let store: TestDatabase
let service: TestService
/** For what waits until something was sent. */
let worker: TestDispatcher
beforeAll(async () => {
  store = await openTestDatabase()
  service = { ...(await startTestService({ database: store.database })), database: store.database }
  worker = await startTestDispatcher({ address: store.address, secretBox: service.secretBox })
})
afterAll(async () => {
  await worker.stop()
  await service.close()
  await store.close()
  if (isRecording) writeFileSync(EXAMPLES, `${JSON.stringify(recorded, null, 2)}\n`)
})

for (const named of answering) {
  const { name, operationId } = named

  test(`${name} has an example of the shape of a real response`, async () => {
    const [shown, real] = [stored[operationId], withoutSecrets(await respond(named))]
    recorded[operationId] = isOfShape(shown, real) ? shown : real
    if (isRecording) return
    expect(shown).toBeDefined()
    expect(shapesIn(shown, real)).toEqual(shapesIn(real, shown))
  })
}

test('no other operation has an example, and none holds a secret', () => {
  if (isRecording) return
  expect(Object.keys(stored).sort()).toEqual(answering.map(({ operationId }) => operationId).sort())
  expect(JSON.stringify(stored)).not.toMatch(/svc_\w|whsec_\w|eyJ\w/)
})

/** Calls an operation for a team whose lists are not empty. */
async function respond(named: NamedOperation): Promise<unknown> {
  const team = await makeTeam(service.database)
  await fillTeam(service, team)
  const input = await makeInput(service, team, named)
  if (typeof input.survey_id === 'string') await answerSurvey(service, team, input.survey_id)
  if (named.operation.queryFields.has('limit')) input.limit = 2
  const token = named.operation.access === 'credential' ? team.token : undefined
  const call = () => callRest(service, named, { ...sourcesOf(named, input), ...(token !== undefined && { token }) })
  if (named.name === 'webhooks.deliveries.list') await approveOne(service, team)
  if (named.name === 'webhooks.attempts.list') {
    const { delivery_id } = await service.client(team.token).webhooks.test({ team_id: team.id, webhook_id: String(input.webhook_id) })
    Object.assign(input, { delivery_id })
  }
  if (WRITTEN_LATER.has(named.name)) await until(`${named.name} has records`, async () => (await call()).body.results.length > 0)
  const answer = await call()
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: named.operation.status })
  if (named.name === 'events.types.list') cutSchemas(answer.body)
  return answer.body
}

/** The schemas of all types are longer than the rest of the document, and refer to parts of their own. */
function cutSchemas(body: { results: { schema: object }[] }): void {
  body.results = body.results.slice(0, 1).map((details) => ({ ...details, schema: { type: 'object' } }))
}
