import { readFileSync, writeFileSync } from 'node:fs'
import type { NamedOperation } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { number, openStream } from '../support/event-stream.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestDispatcher, type TestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { callRest, sourcesOf } from './call.ts'
import { chosenInput, chosenNames } from './example-inputs.ts'
import { answerSurvey, approveOne, fillTeam } from './filled-team.ts'
import { operations } from './operations.ts'
import { inputWithoutSecrets, isOfShape, isRecording, shapesIn, withoutSecrets } from './recording.ts'
import { makeInput } from './records.ts'
import { createTeams } from './shared-team.ts'

/** What the OpenAPI document shows: `npm run examples` records what has no example yet, or one of another shape. */
const EXAMPLES = new URL('../../server/src/openapi/examples.json', import.meta.url)
/** Lists of what the worker writes soon after the request. */
const WRITTEN_LATER: ReadonlySet<string> = new Set(['events.list', 'webhooks.deliveries.list'])

/** A request that was sent, and the response to it; none for 204. */
interface Example {
  input: Record<string, unknown>
  response?: unknown
}

const stored: Record<string, Example> = JSON.parse(readFileSync(EXAMPLES, 'utf8'))
const recorded: Record<string, Example> = {}

let store: TestDatabase
let service: TestService
/** For what waits until something was sent. */
let worker: TestDispatcher
let sharedTeamFor: (named: NamedOperation) => Promise<Team>
const filled = new WeakSet<Team>()
beforeAll(async () => {
  store = await openTestDatabase()
  service = { ...(await startTestService({ database: store.database })), database: store.database }
  sharedTeamFor = createTeams(store.database)
  worker = await startTestDispatcher({ address: store.address, secretBox: service.secretBox })
})
afterAll(async () => {
  await worker.stop()
  await service.close()
  await store.close()
  if (isRecording) writeFileSync(EXAMPLES, `${JSON.stringify(recorded, null, 2)}\n`)
})

for (const named of operations) {
  const { name, operationId, operation } = named

  test(`${name} has an example of the shape of a real request and its response`, async () => {
    const [shown, real] = [stored[operationId], await record(named)]
    recorded[operationId] = shown && isOfShape(shown, real) ? shown : real
    if (isRecording) return
    expect(shown).toBeDefined()
    expect(shapesIn(shown, real)).toEqual(shapesIn(real, shown))
    expect(operation.input.safeParse(shown?.input).error).toBeUndefined()
    expect('response' in (shown ?? {})).toBe(operation.status !== 204)
    if (operation.status !== 204 && !operation.stream) expect(operation.output.safeParse(shown?.response).error).toBeUndefined()
  })
}

test('nothing else has an example, and none holds a secret', () => {
  const names = operations.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(chosenNames))
  if (isRecording) return
  expect(Object.keys(stored).sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
  expect(JSON.stringify(stored)).not.toMatch(/svc_\w|whsec_\w|eyJ\w/)
})

/** Calls an operation for a team whose lists are not empty. */
async function record(named: NamedOperation): Promise<Example> {
  const { name, operation } = named
  const team = await teamFor(named)
  const input = { ...(await makeInput(service, team, named)), ...chosenInput(name) }
  if (typeof input.survey_id === 'string') await answerSurvey(service, team, input.survey_id)
  if (operation.queryFields.has('limit')) input.limit = 2
  if (name === 'webhooks.deliveries.list') await approveOne(service, team)
  if (name === 'webhooks.attempts.list') {
    const { delivery_id } = await service.client(team.token).webhooks.test({ team_id: team.id, webhook_id: String(input.webhook_id) })
    Object.assign(input, { delivery_id })
  }
  await using receiver = name === 'webhooks.test' ? await startReceiver() : undefined
  if (receiver)
    await service.client(team.token).webhooks.update({ team_id: team.id, webhook_id: String(input.webhook_id), url: receiver.url })
  const response = await (operation.stream === 'events' ? firstMessage(named, team, input) : respond(named, team, input))
  return { input: inputWithoutSecrets(operation, input), ...(response !== undefined && { response: withoutSecrets(response) }) }
}

/** Returns a filled team: a new one for lists and figures, which show all that others have left in it. */
async function teamFor(named: NamedOperation): Promise<Team> {
  const showsAll = named.operation.method === 'GET' && !named.name.endsWith('.retrieve')
  const team = showsAll ? await makeTeam(service.database) : await sharedTeamFor(named)
  if (!filled.has(team)) await fillTeam(service, team)
  filled.add(team)
  return team
}

async function respond(named: NamedOperation, { token }: Team, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const isAnonymous = named.operation.access !== 'credential'
  const call = () => callRest(service, named, { ...sourcesOf(named, input), ...(!isAnonymous && { token }) })
  if (WRITTEN_LATER.has(named.name)) await until(`${named.name} has records`, async () => (await call()).body.results.length > 0)
  const answer = await call()
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: named.operation.status })
  if (named.name === 'events.types.list') cutSchemas(answer.body)
  // One line of NDJSON was read as JSON.
  const isOneLine = named.operation.stream === 'records' && typeof answer.body !== 'string'
  return isOneLine ? `${JSON.stringify(answer.body)}\n` : answer.body
}

/** The first message of the stream with an event. */
async function firstMessage({ operation }: NamedOperation, team: Team, input: Readonly<Record<string, unknown>>): Promise<string> {
  await number(service)
  const { types, project_id } = input
  const path = operation.path.split('/').slice(5).join('/').replace('{project_id}', String(project_id))
  const query = new URLSearchParams({ cursor: 'f0' })
  for (const type of [types ?? []].flat()) query.append('types', String(type))
  const stream = await openStream(service, team, { path, query: `?${query}` })
  await until('an event has come', async () => stream.ids().length > 0)
  stream.close()
  return `${stream
    .text()
    .split('\n\n')
    .find((message) => /^event: \w+\./m.test(message))}\n\n`
}

/** The schemas of all types are longer than the rest of the document, and refer to parts of their own. */
function cutSchemas(body: { results: { schema: object }[] }): void {
  body.results = body.results.slice(0, 1).map((details) => ({ ...details, schema: { type: 'object' } }))
}
