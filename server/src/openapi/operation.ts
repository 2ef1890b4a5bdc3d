import { limits, type NamedOperation, type Operation } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'
import { exampleInputOf } from './examples.ts'
import { generatedOperation, methodKey } from './generated-operation.ts'
import { completeParameters } from './parameters.ts'
import { completeRequestBody } from './request-bodies.ts'
import { completeResponses } from './responses.ts'
import { codeSamples } from './samples/samples.ts'
import { securityOf } from './security.ts'
import { tagOf } from './tags.ts'

const COUNTED_BY = { user: 'user', ip: 'IP address' } as const
const WINDOWS: Record<number, string> = { 60: 'minute', 3600: 'hour' }

export interface OperationContext {
  /** The names of all operations. */
  names: ReadonlySet<string>
  /** The service's URL, without a trailing slash. */
  baseUrl: string
}

/** Builds the path item of an operation. */
export function completeOperation(
  generated: oas31.OpenAPIObject,
  named: NamedOperation,
  { names, baseUrl }: OperationContext,
): oas31.PathItemObject {
  const { operation, operationId, name } = named
  const draft = generatedOperation(generated, operation)
  const parameters = completeParameters(draft, named)
  const requestBody = completeRequestBody(draft, named)
  const input = exampleInputOf(operationId)
  const complete: oas31.OperationObject = {
    operationId,
    tags: [tagOf(name)],
    summary: operation.summary,
    description: describe(operation),
    security: securityOf(operation),
    ...extensions(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: completeResponses(draft, named, names),
    ...(input && { 'x-codeSamples': codeSamples({ named, input, parameters, baseUrl }) }),
  }
  return { [methodKey(operation.method)]: complete }
}

/** The contract's description, and what a caller needs. */
function describe(operation: Operation): string {
  const { description, withoutApiAccess, scope, role, feature, quota, limit, counts } = operation
  const { max, windowSeconds, countedBy } = limits[limit]
  const needs = [
    scope && `the scope \`${scope}\``,
    role && `the role \`${role}\` or higher in the team`,
    feature && `a plan with the feature \`${feature}\``,
  ].filter((need) => need !== undefined)
  const sentences = [
    needs.length > 0 && `Needs ${enumerate(needs)}.`,
    needs.length === 0 && (operation.access === 'credential' ? 'Accepts any credential.' : 'Needs no credential.'),
    withoutApiAccess && 'Works without a plan with API access.',
    quota && `Counts towards the quota \`${quota}\` of the team's plan.`,
    `At most ${max} ${counts === 'failures' ? 'failed ' : ''}requests per ${WINDOWS[windowSeconds] ?? `${windowSeconds} s`} and ${COUNTED_BY[countedBy]}.`,
    counts === 'failures' && 'Successful requests do not count.',
  ].filter((sentence) => typeof sentence === 'string')
  return [description, sentences.join(' ')].filter((paragraph) => paragraph !== undefined).join('\n\n')
}

/** The same as extensions, for programs. */
function extensions({ scope, withoutApiAccess, role, feature, quota, limit, counts }: Operation): Record<`x-${string}`, string | boolean> {
  return {
    ...(scope && { 'x-earshot-scope': scope }),
    ...(role && { 'x-earshot-role': role }),
    ...(feature && { 'x-earshot-feature': feature }),
    ...(quota && { 'x-earshot-quota': quota }),
    ...(withoutApiAccess && { 'x-earshot-without-api-access': true }),
    'x-earshot-limit': limit,
    ...(counts === 'failures' && { 'x-earshot-limit-counts': counts }),
  }
}

function enumerate(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
