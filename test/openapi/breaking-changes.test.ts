import { describe, expect, it } from 'vitest'
import { findBreakingChanges } from './breaking-changes.ts'
import { type Json, objectAt } from './read-document.ts'
import { parseDocument, readReleasedSnapshot, readSnapshot } from './snapshot.ts'

const TEXT = { type: 'string' }
const PATHS = ['paths']
const OPERATION = ['paths', '/things/', 'post']
const INPUT = ['components', 'schemas', 'ThingInput']
const OUTPUT = ['components', 'schemas', 'Thing']
const EVENT = ['components', 'schemas', 'ThingEvent']
const NULLABLE = { type: ['string', 'null'] }

/** What changed, where, to what (undefined: removed), and what is said of it. */
type Case = [name: string, place: string[], value: unknown, finding: string]

const breaking: Case[] = [
  ['an operation is removed', OPERATION, undefined, 'POST /things/: the operation is gone'],
  ['a path is removed', PATHS, {}, 'POST /things/: the operation is gone'],
  ['an operationId changes', [...OPERATION, 'operationId'], 'make', 'POST /things/: operationId was things_create, is make'],
  ['another scope is needed', [...OPERATION, 'x-earshot-scope'], 'write:all', 'POST /things/: needs write:all now'],
  ['a higher role is needed', [...OPERATION, 'x-earshot-role'], 'admin', 'POST /things/: needs the role admin now'],
  ['the success has another status', [...OPERATION, 'responses'], { 200: {} }, 'POST /things/: the answer 201 is gone'],
  ['a header is removed', [...OPERATION, 'responses', '201', 'headers'], {}, 'POST /things/ 201: the header Location is gone'],
  ['a field of an answer is removed', [...OUTPUT, 'properties', 'id'], undefined, 'POST /things/ 201.id: the field is gone'],
  ['a field of an answer may be absent', [...OUTPUT, 'required'], ['id', 'tags'], 'POST /things/ 201.state: may be absent now'],
  ['a field of an answer becomes nullable', [...OUTPUT, 'properties', 'id'], NULLABLE, 'POST /things/ 201.id: may be null now'],
  [
    'an item of an answer changes its type',
    [...OUTPUT, 'properties', 'tags', 'items', 'type'],
    'integer',
    'POST /things/ 201.tags[]: may be integer now',
  ],
  [
    'a field of a request becomes required',
    [...INPUT, 'required'],
    ['kind', 'count'],
    'POST /things/ body.count: the field is required now',
  ],
  ['a new field of a request is required', [...INPUT, 'required'], ['kind', 'new'], 'POST /things/ body.new: the field is required now'],
  ['a field of a request is removed', [...INPUT, 'properties', 'link'], undefined, 'POST /things/ body.link: the field is gone'],
  ['null is refused', [...INPUT, 'properties', 'title', 'type'], 'string', 'POST /things/ body.title: null is no longer taken'],
  [
    'a field of a request changes its type',
    [...INPUT, 'properties', 'count'],
    TEXT,
    'POST /things/ body.count: integer is no longer taken',
  ],
  ['an enum of a request narrows', [...INPUT, 'properties', 'kind', 'enum'], ['text'], 'POST /things/ body.kind: no longer takes video'],
  [
    'a field of a request becomes an enum',
    [...INPUT, 'properties', 'link', 'enum'],
    ['a'],
    'POST /things/ body.link: only certain values are taken now',
  ],
  ['an upper bound falls', [...INPUT, 'properties', 'title', 'maxLength'], 100, 'POST /things/ body.title: maxLength fell'],
  ['a lower bound rises', [...INPUT, 'properties', 'count', 'minimum'], 2, 'POST /things/ body.count: minimum rose'],
  ['a pattern appears', [...INPUT, 'properties', 'link', 'pattern'], '^a', 'POST /things/ body.link: pattern changed'],
  ['unknown fields are refused', [...INPUT, 'additionalProperties'], false, 'POST /things/ body: unknown fields are refused now'],
  ['the body becomes required', [...OPERATION, 'requestBody', 'required'], true, 'POST /things/: the body is required now'],
  ['the body is removed', [...OPERATION, 'requestBody'], undefined, 'POST /things/: the body is gone'],
  ['a parameter is removed', [...OPERATION, 'parameters'], [], 'POST /things/ query search: the parameter is gone'],
  [
    'a parameter becomes required',
    [...OPERATION, 'parameters', '0', 'required'],
    true,
    'POST /things/ query search: the parameter is required now',
  ],
  ['a parameter narrows', [...OPERATION, 'parameters', '0', 'schema', 'maxLength'], 10, 'POST /things/ query search: maxLength fell'],
  ['an event is removed', ['webhooks'], {}, 'event thing.created: it is gone'],
  ['a field of an event is removed', [...EVENT, 'properties', 'id'], undefined, 'event thing.created.id: the field is gone'],
]

const harmless: [name: string, place: string[], value: unknown][] = [
  ['nothing changes', ['info'], { version: '0.1.0' }],
  ['an operation joins', ['paths', '/items/'], { get: { operationId: 'items_list' } }],
  ['a field of an answer joins', [...OUTPUT, 'properties', 'name'], TEXT],
  ['an enum of an answer gains a value', [...OUTPUT, 'properties', 'state', 'enum'], ['pending', 'done']],
  ['an answer says more of its format', [...OUTPUT, 'properties', 'id', 'format'], 'uuid'],
  ['an optional field of a request joins', [...INPUT, 'properties', 'note'], TEXT],
  ['a field of a request becomes optional', [...INPUT, 'required'], []],
  ['an enum of a request widens', [...INPUT, 'properties', 'kind', 'enum'], ['text', 'video', 'audio']],
  ['null is taken', [...INPUT, 'properties', 'link'], { anyOf: [TEXT, { type: 'null' }] }],
  ['an upper bound rises', [...INPUT, 'properties', 'title', 'maxLength'], 300],
  ['a lower role will do', [...OPERATION, 'x-earshot-role'], 'viewer'],
  ['a scope is no longer needed', [...OPERATION, 'x-earshot-scope'], undefined],
]

describe('findBreakingChanges', () => {
  it.each(breaking)('says so when %s', (_name, place, value, finding) => {
    expect(findBreakingChanges(sample(), changed(sample(), place, value))).toEqual([finding])
  })

  it.each(harmless)('says nothing when %s', (_name, place, value) => {
    expect(findBreakingChanges(sample(), changed(sample(), place, value))).toEqual([])
  })

  it('says nothing when a tagged union of an answer gains a member, and says so when that has no tag', () => {
    const tagged = (tag: string) => ({ type: 'object', properties: { type: { ...TEXT, const: tag } } })
    const union = (...oneOf: object[]) => changed(sample(), [...OUTPUT, 'properties', 'tags', 'items'], { oneOf })
    const one = tagged('one')
    expect(findBreakingChanges(union(one), union(one, tagged('other')))).toEqual([])
    expect(findBreakingChanges(union(one), union(one, { type: 'object' }))).toEqual(['POST /things/ 201.tags[]: may be object now'])
  })

  it('says nothing when a text of a union becomes a value of an enum, and says so when it is lost', () => {
    const selector = (schema: object) => changed(sample(), [...INPUT, 'properties', 'link'], schema)
    const union = selector({
      anyOf: [
        { ...TEXT, enum: ['one'] },
        { ...TEXT, const: '*' },
      ],
    })
    expect(findBreakingChanges(union, selector({ ...TEXT, enum: ['one', '*'] }))).toEqual([])
    expect(findBreakingChanges(union, selector({ ...TEXT, enum: ['one'] }))).toEqual([
      'POST /things/ body.link: string * is no longer taken',
    ])
  })

  it('ends on schemas that contain themselves', () => {
    const recursive = changed(sample(), [...OUTPUT, 'properties', 'parent'], { $ref: '#/components/schemas/Thing' })
    expect(findBreakingChanges(recursive, recursive)).toEqual([])
  })
})

describe('the document', () => {
  it('breaks no client of the last release, unless the version says so', () => {
    const released = readReleasedSnapshot()
    const current = readSnapshot()
    const mayBreak = epochOf(released) !== epochOf(current)
    expect(mayBreak ? [] : findBreakingChanges(released, current)).toEqual([])
  })
})

/** A document with one operation and one event. */
function sample(): Json {
  const body = (name: string) => ({ content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } })
  const input = {
    title: { ...NULLABLE, maxLength: 200 },
    kind: { ...TEXT, enum: ['text', 'video'] },
    count: { type: 'integer', minimum: 1 },
    link: TEXT,
  }
  const output = { id: TEXT, state: { ...TEXT, enum: ['pending'] }, tags: { type: 'array', items: TEXT } }
  const operation = {
    operationId: 'things_create',
    'x-earshot-scope': 'write:things',
    'x-earshot-role': 'member',
    parameters: [{ name: 'search', in: 'query', required: false, schema: { ...TEXT, maxLength: 50 } }],
    requestBody: body('ThingInput'),
    responses: { 201: { headers: { Location: {} }, ...body('Thing') }, 400: {} },
  }
  const document: Json = {
    paths: { '/things/': { post: operation } },
    webhooks: { 'thing.created': { post: { requestBody: body('ThingEvent') } } },
    components: {
      schemas: {
        ThingInput: { type: 'object', properties: input, required: ['kind'] },
        Thing: { type: 'object', properties: output, required: Object.keys(output) },
        ThingEvent: { type: 'object', properties: { id: TEXT }, required: ['id'] },
      },
    },
  }
  // Not structuredClone: it would keep the shared parts shared, and a change would show in all of them.
  return parseDocument(JSON.stringify(document))
}

/** The document with one place changed. */
function changed(document: Json, place: readonly string[], value: unknown): Json {
  const parent = place.slice(0, -1).reduce((node: object, key) => Reflect.get(node, key), document)
  const key = place.at(-1) ?? ''
  if (value === undefined) Reflect.deleteProperty(parent, key)
  else Reflect.set(parent, key, value)
  return document
}

/** The part of the version that a breaking change raises: the first number, or the second while the first is 0. */
function epochOf(document: Json): string {
  const [major = '', minor = ''] = String(objectAt(document, 'info').version).split('.')
  return major === '0' ? `0.${minor}` : major
}
