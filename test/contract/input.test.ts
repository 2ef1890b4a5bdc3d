import { isEverywhere, type NamedOperation, sizes } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { eachRequest } from './at-once.ts'
import { callRest, callTrpcWithEach, type RestCall, sourcesOf } from './call.ts'
import { bodyOperations, operations } from './operations.ts'
import { emptyPath } from './records.ts'
import { type Known, sampleInput, wrongQueries, wrongValues } from './samples.ts'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

for (const named of operations) {
  const { name, operation } = named

  test(`${name} refuses unknown fields by name`, async () => {
    const { query, ...call } = goodCall(named)
    const unknownQuery = new URLSearchParams([...(query ?? []), ['nobody_knows', '1']])
    await expectWrongField(named, { ...call, query: unknownQuery }, 'nobody_knows')
    await eachRequest(named, operation.bodyFields, (field) =>
      expectWrongField(named, { ...call, query: new URLSearchParams([[field, 'x']]) }, field),
    )
    await eachRequest(named, operation.pathFields, (field) => {
      const repeated = new URLSearchParams([[field, call.path[field] ?? '']])
      return expectWrongField(named, { ...call, query: repeated }, field)
    })
    if (isEverywhere(operation)) await expectWrongTrpc(named, [{ input: { ...inputOf(named), nobody_knows: 1 }, field: 'nobody_knows' }])
  })

  if (operation.queryFields.size > 0) {
    test(`${name} refuses query parameters of the wrong type, by name`, async () => {
      const call = goodCall(named)
      await eachRequest(named, operation.queryFields, async (field) => {
        for (const query of wrongQueries(schemaOf(named, field), field)) await expectWrongField(named, { ...call, query }, field)
      })
    })
  }
}

for (const named of bodyOperations) {
  const { name, operation } = named

  test(`${name} refuses body fields of the wrong type, unknown ones and those of the path, by name`, async () => {
    const call = goodCall(named)
    const input = inputOf(named)
    const wrong: WrongInput[] = []
    await expectWrongField(named, { ...call, body: { ...call.body, nobody_knows: 1 } }, 'nobody_knows')
    await eachRequest(named, Object.entries(call.path), ([field, value]) =>
      expectWrongField(named, { ...call, body: { ...call.body, [field]: value } }, field),
    )
    const values = [...operation.bodyFields].flatMap((top) =>
      wrongValues(schemaOf(named, top), knownOf(named), top).map((one) => ({ top, ...one })),
    )
    await eachRequest(named, values, async ({ top, field, value }) => {
      const spoilt = Array.isArray(value) || typeof value !== 'object' ? value : structuredClone(value)
      await expectWrongField(named, { ...call, body: { ...call.body, [top]: spoilt } }, field)
      wrong.push({ input: { ...input, [top]: spoilt }, field })
    })
    if (isEverywhere(operation)) await expectWrongTrpc(named, wrong)
  })

  test(`${name} accepts only well-formed JSON within its size`, async () => {
    const { body, ...call } = goodCall(named)
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/jsonp']) {
      const answer = await callRest(service, named, {
        ...call,
        body: JSON.stringify(body),
        headers: { ...call.headers, 'content-type': type },
      })
      expect(answer, type).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
    }
    const cut = await callRest(service, named, { ...call, body: '{"cut' })
    expect(cut).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
    const list = await callRest(service, named, { ...call, body: '[]' })
    expect(list).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: '' }] } })
    const { bodyBytes = sizes.bodyBytes } = named.operation
    const padded = JSON.stringify(body).padEnd(bodyBytes + 1)
    const large = await callRest(service, named, { ...call, body: padded })
    expect(large).toMatchObject({ status: 413, body: { code: 'body_too_large', limit_bytes: bodyBytes } })
  })
}

/** An input with a field that must be refused. */
interface WrongInput {
  input: Record<string, unknown>
  field: string
}

/** A call with valid input and unknown records. */
function goodCall(named: NamedOperation): RestCall & { path: Record<string, string>; body?: Record<string, unknown> } {
  const path = emptyPath(named.operation, team)
  const token = named.operation.access !== 'credential' ? undefined : team.token
  return { ...sourcesOf(named, inputOf(named)), path, token }
}

function inputOf(named: NamedOperation): Record<string, unknown> {
  return sampleInput(named.operation, knownOf(named))
}

function knownOf({ operation }: NamedOperation): Known {
  return { ...emptyPath(operation, team), url: 'http://127.0.0.1:9/hooks' }
}

function schemaOf({ operation }: NamedOperation, field: string): z.ZodType {
  return operation.input.shape[field] as z.ZodType
}

async function expectWrongField(named: NamedOperation, call: RestCall, field: string): Promise<void> {
  const answer = await callRest(service, named, call)
  const what = `${named.name} ${JSON.stringify(call.body)} ${call.query}`
  expect(answer, what).toMatchObject({ status: 400, body: { code: 'validation_error' } })
  expect(blamedFields(answer.body), what).toContainEqual(expect.toSatisfy((blamed: string) => isWithin(blamed, field)))
}

async function expectWrongTrpc(named: NamedOperation, wrong: readonly WrongInput[]): Promise<void> {
  const inputs = wrong.map(({ input }) => input)
  const results = await callTrpcWithEach(service, named, inputs, { token: team.token })
  for (const [index, { input, field }] of wrong.entries()) {
    const what = `${named.name} ${JSON.stringify(input)}`
    expect(results[index].error?.data, what).toMatchObject({ code: 'validation_error' })
    expect(blamedFields(results[index].error.data), what).toContainEqual(expect.toSatisfy((blamed: string) => isWithin(blamed, field)))
  }
}

function blamedFields({ errors = [] }: { errors?: { field: string }[] }): string[] {
  return errors.map(({ field }) => field)
}

/** A wrong object is blamed on its own fields. */
function isWithin(blamed: string, field: string): boolean {
  return blamed === field || blamed.startsWith(`${field}.`)
}
