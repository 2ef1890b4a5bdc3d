import { type Role, roles } from '@earshot/contracts'
import { follow, isObject, type Json, listAt, objectAt, operationsOf } from './read-document.ts'
import { findSchemaBreaks } from './schema-breaks.ts'

const JSON_TYPE = 'application/json'
const NEEDS = ['x-earshot-scope', 'x-earshot-feature'] as const

/**
 * Lists the changes from `before` to `after` that break clients, one line each. A request may only become more lenient, a
 * response only more precise. New operations, optional input fields, and new fields, enum values or union tags in a
 * response break nothing.
 */
export function findBreakingChanges(before: Json, after: Json): string[] {
  const remaining = operationsOf(after)
  const breaks: string[] = []
  for (const [place, operation] of operationsOf(before)) {
    const next = remaining.get(place)
    if (next) breaks.push(...operationBreaks({ before, after, place }, operation, next))
    else breaks.push(`${place}: the operation is gone`)
  }
  return [...breaks, ...eventBreaks(before, after)]
}

interface Comparison {
  before: Json
  after: Json
  place: string
}

function operationBreaks(comparison: Comparison, operation: Json, next: Json): string[] {
  const { place } = comparison
  const renamed =
    operation.operationId === next.operationId ? [] : [`${place}: operationId was ${operation.operationId}, is ${next.operationId}`]
  return [
    ...renamed,
    ...needBreaks(place, operation, next),
    ...parameterBreaks(comparison, operation, next),
    ...bodyBreaks(comparison, operation, next),
    ...answerBreaks(comparison, operation, next),
  ]
}

/** A caller who had access may now be refused. */
function needBreaks(place: string, operation: Json, next: Json): string[] {
  const changed = NEEDS.filter((need) => next[need] !== undefined && next[need] !== operation[need]).map(
    (need) => `${place}: needs ${next[need]} now`,
  )
  const isHigher = rankOf(next['x-earshot-role']) > rankOf(operation['x-earshot-role'])
  return isHigher ? [...changed, `${place}: needs the role ${next['x-earshot-role']} now`] : changed
}

function rankOf(role: unknown): number {
  return roles.findIndex((known: Role) => known === role)
}

function parameterBreaks({ before, after, place }: Comparison, operation: Json, next: Json): string[] {
  const old = parametersOf(before, operation)
  const now = parametersOf(after, next)
  const breaks: string[] = []
  for (const [name, parameter] of old) {
    const successor = now.get(name)
    if (successor)
      breaks.push(
        ...findSchemaBreaks({ before, after, direction: 'request', place: `${place} ${name}` }, parameter.schema, successor.schema),
      )
    else breaks.push(`${place} ${name}: the parameter is gone`)
  }
  for (const [name, parameter] of now) {
    if (parameter.required === true && old.get(name)?.required !== true) breaks.push(`${place} ${name}: the parameter is required now`)
  }
  return breaks
}

function bodyBreaks({ before, after, place }: Comparison, operation: Json, next: Json): string[] {
  const old = follow(before, operation.requestBody)
  const now = follow(after, next.requestBody)
  const oldSchema = schemaOf(old)
  const nowSchema = schemaOf(now)
  const breaks = now.required === true && old.required !== true ? [`${place}: the body is required now`] : []
  if (oldSchema === undefined) return breaks
  if (nowSchema === undefined) return [...breaks, `${place}: the body is gone`]
  return [...breaks, ...findSchemaBreaks({ before, after, direction: 'request', place: `${place} body` }, oldSchema, nowSchema)]
}

function answerBreaks({ before, after, place }: Comparison, operation: Json, next: Json): string[] {
  const old = successesOf(before, operation)
  const now = successesOf(after, next)
  return [...old].flatMap(([status, answer]) => {
    const successor = now.get(status)
    if (!successor) return [`${place}: the answer ${status} is gone`]
    const goneHeaders = Object.keys(objectAt(answer, 'headers')).filter((name) => !(name in objectAt(successor, 'headers')))
    return [
      ...goneHeaders.map((name) => `${place} ${status}: the header ${name} is gone`),
      ...findSchemaBreaks({ before, after, direction: 'response', place: `${place} ${status}` }, schemaOf(answer), schemaOf(successor)),
    ]
  })
}

function eventBreaks(before: Json, after: Json): string[] {
  return Object.entries(objectAt(before, 'webhooks')).flatMap(([type, item]) => {
    const next = objectAt(after, 'webhooks')[type]
    if (next === undefined) return [`event ${type}: it is gone`]
    const payload = schemaOf(follow(before, objectAt(item, 'post').requestBody))
    const nextPayload = schemaOf(follow(after, objectAt(next, 'post').requestBody))
    return findSchemaBreaks({ before, after, direction: 'response', place: `event ${type}` }, payload, nextPayload)
  })
}

function parametersOf(document: Json, operation: Json): Map<string, Json> {
  const parameters = listAt(operation, 'parameters').map((parameter) => follow(document, parameter))
  return new Map(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]))
}

function successesOf(document: Json, operation: Json): Map<string, Json> {
  const responses = Object.entries(objectAt(operation, 'responses')).filter(([status]) => status.startsWith('2'))
  return new Map(responses.map(([status, response]) => [status, follow(document, response)]))
}

function schemaOf(body: Json): unknown {
  const { schema } = objectAt(objectAt(body, 'content'), JSON_TYPE)
  return isObject(schema) ? schema : undefined
}
