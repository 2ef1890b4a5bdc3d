import { ApiError, contracts, errorCodes, errorRow, eventTypes, listOperations, type Operation, TEST_EVENT } from '@earshot/contracts'
import { describe, expect, it } from 'vitest'
import { buildDocument } from '../../server/src/openapi/document.ts'
import { follow, type Json, listAt, objectAt, operationsOf } from './read-document.ts'
import { parseDocument } from './snapshot.ts'

const OPTIONS = { baseUrl: 'https://earshot.example', version: '1.2.3' }
const document = parseDocument(JSON.stringify(buildDocument(contracts, OPTIONS)))
const documented = operationsOf(document)
const operations = listOperations(contracts)

function documentedAs({ method, path }: Operation): Json {
  return objectAt(Object.fromEntries(documented), `${method} ${path}`)
}

function securityOf({ scope }: Operation): Json[] {
  const needed = scope ? [scope] : []
  const isOfTokens = scope === 'read:tokens' || scope === 'write:tokens'
  return [{ personalAccessToken: needed }, ...(isOfTokens ? [] : [{ oauth2: needed }]), { jwt: [] }, { session: [] }]
}

function responseOf(operationId: string, status: number): Json {
  const named = operations.find((candidate) => candidate.operationId === operationId)
  return named ? follow(document, objectAt(documentedAs(named.operation), 'responses')[status]) : {}
}

function parameterNames(operationId: string): unknown[] {
  const named = operations.find((candidate) => candidate.operationId === operationId)
  return named ? listAt(documentedAs(named.operation), 'parameters').map((parameter) => follow(document, parameter).name) : []
}

/** Of tus, whose requests are no operations. */
const STATUSES_OF_UPLOADS = [410, 412, 423, 460]

describe('the OpenAPI document', () => {
  it('has every operation at its canonical path, and nothing else', () => {
    expect([...documented.keys()].sort()).toEqual(operations.map(({ operation: { method, path } }) => `${method} ${path}`).sort())
  })

  it('is the same each time it is built', () => {
    expect(JSON.stringify(buildDocument(contracts, OPTIONS))).toBe(JSON.stringify(document))
  })

  it.each(operations)('$operationId: name, success and security are those of the contract', ({ operationId, operation }) => {
    const found = documentedAs(operation)
    expect(found.operationId).toBe(operationId)
    expect(Object.keys(objectAt(found, 'responses')).filter((status) => status.startsWith('2'))).toEqual([String(operation.status)])
    expect(found.security).toEqual(operation.access === 'credential' ? securityOf(operation) : [])
    expect(found['x-earshot-role']).toBe(operation.role)
    if (operation.scope) expect(found.description).toContain(operation.scope)
  })

  it.each(operations)('$operationId: every field of the input is described where it travels', ({ operation }) => {
    const parameters = listAt(documentedAs(operation), 'parameters').map((parameter) => follow(document, parameter))
    const namesIn = (place: string) => new Set(parameters.filter((parameter) => parameter.in === place).map(({ name }) => name))
    expect(namesIn('path')).toEqual(operation.pathFields)
    expect(namesIn('query')).toEqual(operation.queryFields)
    const content = objectAt(objectAt(documentedAs(operation), 'requestBody'), 'content')
    const body = follow(document, objectAt(content, 'application/json').schema)
    expect(new Set(Object.keys(objectAt(body, 'properties')))).toEqual(operation.bodyFields)
    for (const { schema, description } of parameters) expect(description ?? follow(document, schema).description).toBeTypeOf('string')
  })

  it('gives each operation the errors of its shape and no others', () => {
    const statusesOf = (operationId: string) => {
      const named = operations.find((candidate) => candidate.operationId === operationId)
      return named ? Object.keys(objectAt(documentedAs(named.operation), 'responses')).join(' ') : ''
    }
    expect(statusesOf('me_retrieve')).toBe('200 304 400 401 403 429 431 500 503')
    expect(statusesOf('submissions_list')).toBe('200 400 401 403 404 429 431 500 503')
    expect(statusesOf('submissions_approve')).toBe('200 400 401 403 404 409 413 415 429 431 500 503')
    expect(statusesOf('webhooks_create')).toBe('201 400 401 402 403 404 409 413 415 429 431 500 503')
    expect(statusesOf('public_submissions_create')).toBe('201 400 401 402 403 404 409 413 415 429 431 500 503')
    expect(statusesOf('me_tokens_delete')).toBe('204 400 401 403 404 429 431 500 503')
  })

  it.each(errorCodes)('%s: the body of the error fits the schema of its status', (code) => {
    const fields = Object.fromEntries(Object.keys(errorRow(code).fields ?? {}).map((name) => [name, null]))
    const body = { ...new ApiError(code).toBody('1'), ...fields }
    const response = Object.values(objectAt(objectAt(document, 'components'), 'responses')).find((candidate) =>
      JSON.stringify(candidate).includes(`\`${code}\``),
    )
    // Codes whose status no operation of the document answers with have no response of their own.
    if (response === undefined) return expect([405, ...STATUSES_OF_UPLOADS]).toContain(errorRow(code).status)
    const schema = follow(document, objectAt(objectAt(objectAt(response, 'content'), 'application/json'), 'schema'))
    expect(Object.keys(objectAt(schema, 'properties'))).toEqual(expect.arrayContaining(Object.keys(body)))
    expect(listAt(objectAt(objectAt(schema, 'properties'), 'code'), 'enum')).toContain(code)
  })

  it('closes the bodies of requests and leaves answers open', () => {
    const schemas = objectAt(objectAt(document, 'components'), 'schemas')
    expect(objectAt(schemas, 'SubmissionsCreateRequest').additionalProperties).toBe(false)
    expect(objectAt(schemas, 'AuthorInput').additionalProperties).toBe(false)
    expect(objectAt(schemas, 'Submission')).not.toHaveProperty('additionalProperties')
    expect(objectAt(schemas, 'SubmissionApprovedEvent')).not.toHaveProperty('additionalProperties')
  })

  it('asks for a body only where an empty one would not do', () => {
    const requires = (path: string) => objectAt(objectAt(objectAt(objectAt(document, 'paths'), path), 'post'), 'requestBody').required
    expect(requires('/api/v1/teams/')).toBe(true)
    expect(requires('/api/v1/teams/{team_id}/projects/{project_id}/submissions/{submission_id}/approve/')).toBe(false)
  })

  it('names headers where they are sent', () => {
    const headersOf = (operationId: string, status: number) => Object.keys(objectAt(responseOf(operationId, status), 'headers'))
    expect(headersOf('projects_create', 201)).toEqual(
      expect.arrayContaining(['Location', 'Idempotency-Replayed', 'RateLimit', 'X-Request-Id']),
    )
    expect(headersOf('me_tokens_create', 201)).not.toContain('Location')
    expect(headersOf('projects_retrieve', 200)).toContain('ETag')
    expect(headersOf('public_items_list', 200)).toContain('ETag')
    expect(headersOf('projects_list', 200)).not.toContain('ETag')
    expect(headersOf('projects_list', 429)).toContain('Retry-After')
    expect(headersOf('projects_list', 503)).toContain('Retry-After')
    expect(parameterNames('projects_create')).toContain('Idempotency-Key')
    expect(parameterNames('projects_update')).not.toContain('Idempotency-Key')
    expect(parameterNames('projects_retrieve')).toContain('If-None-Match')
  })

  it('repeats array parameters', () => {
    const types = listAt(objectAt(objectAt(objectAt(document, 'paths'), '/api/v1/teams/{team_id}/events/'), 'get'), 'parameters').find(
      (parameter) => objectAt({ parameter }, 'parameter').name === 'types',
    )
    expect(types).toMatchObject({ in: 'query', style: 'form', explode: true, schema: { type: 'array' } })
  })

  it('has one component per schema, for reading and writing alike, and none that nothing uses', () => {
    const names = Object.keys(objectAt(objectAt(document, 'components'), 'schemas'))
    const text = JSON.stringify(document)
    expect(names.filter((name) => name.endsWith('Output'))).toEqual([])
    expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([])
  })

  it('says schemas in the words that client generators know', () => {
    const text = JSON.stringify(document)
    expect(text).not.toContain('"propertyNames"')
    expect(text).not.toContain('"additionalProperties":{}')
    expect(text).not.toContain('"type":"number"}')
    const schemas = objectAt(objectAt(document, 'components'), 'schemas')
    const { metadata } = objectAt(objectAt(schemas, 'SubmissionsCreateRequest'), 'properties')
    expect(metadata).toMatchObject({ type: 'object', additionalProperties: true })
    expect(objectAt(schemas, 'EventSelector')).toMatchObject({ enum: [...eventTypes, '*'] })
    expect(objectAt(objectAt(schemas, 'Respondent'), 'properties').properties).toMatchObject({ type: 'object', additionalProperties: true })
  })

  it('describes every event and what tries an endpoint, each with its payload', () => {
    const webhooks = objectAt(document, 'webhooks')
    expect(Object.keys(webhooks)).toEqual([...eventTypes, TEST_EVENT])
    const content = objectAt(objectAt(objectAt(objectAt(webhooks, 'submission.approved'), 'post'), 'requestBody'), 'content')
    expect(content['application/json']).toEqual({ schema: { $ref: '#/components/schemas/SubmissionApprovedEvent' } })
  })

  it('says what each tag is about', () => {
    const tags = listAt(document, 'tags').map((tag) => follow(document, tag))
    const used = new Set([...documented.values()].flatMap((operation) => listAt(operation, 'tags')))
    expect(tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...used]))
    for (const tag of tags) expect(tag.description).toMatch(/\w+/)
  })
})
