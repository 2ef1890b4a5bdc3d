import { deliveredPayloads } from '@earshot/contracts'
import { createSchema, type oas31 } from 'zod-openapi'
import { WEBHOOK_TAG } from './tags.ts'

const SECONDS = { type: 'string', pattern: '^\\d+$' } as const
const HEADERS = [
  {
    name: 'X-Service-Delivery',
    description: 'The delivery. The same for all of its attempts; use it to deduplicate.',
    schema: { type: 'string', format: 'uuid' },
  },
  {
    name: 'X-Service-Timestamp',
    description: 'Unix seconds, part of the signed text. Refuse requests that are 300 seconds off or more.',
    schema: SECONDS,
  },
  {
    name: 'X-Service-Signature',
    description: "HMAC-SHA256, in hex, of timestamp, dot and raw body, with the endpoint's secret as the key, exactly as it was shown.",
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
  {
    name: 'X-Service-Signature-Previous',
    description: 'The signature with the previous secret, for 24 hours after a rotation.',
    required: false,
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
  { name: 'webhook-id', description: 'The delivery, for Standard Webhooks libraries.', schema: { type: 'string' } },
  { name: 'webhook-timestamp', description: 'Unix seconds, for Standard Webhooks libraries.', schema: SECONDS },
  { name: 'webhook-signature', description: 'Signatures, for Standard Webhooks libraries.', schema: { type: 'string' } },
] as const

/** Returns the payloads and their parts as components. */
export function eventSchemas(): oas31.SchemasObject {
  return Object.assign({}, ...deliveredPayloads.map((payload) => createSchema(payload, { io: 'output' }).components))
}

/** Returns the webhooks that the service sends, by event. */
export function webhooks(): Record<string, oas31.PathItemObject> {
  return Object.fromEntries(deliveredPayloads.map((payload) => [payload.shape.type.value, { post: delivery(payload) }]))
}

function delivery(payload: (typeof deliveredPayloads)[number]): oas31.OperationObject {
  const type = payload.shape.type.value
  return {
    operationId: `on_${type.replaceAll('.', '_')}`,
    tags: [WEBHOOK_TAG.name],
    summary: type,
    description: payload.description ?? '',
    security: [],
    parameters: [
      { name: 'X-Service-Event', in: 'header', required: true, description: 'The event.', schema: { type: 'string', const: type } },
      ...HEADERS.map((header) => ({ in: 'header' as const, required: true, ...header })),
    ],
    requestBody: { required: true, content: { 'application/json': { schema: { $ref: `#/components/schemas/${nameOf(payload)}` } } } },
    responses: {
      '2XX': { description: 'Received.' },
      '4XX': { description: 'Refused: final, except 429, which is retried.' },
      '5XX': { description: 'Failed: 500, 502, 503 and 504 are retried.' },
    },
  }
}

function nameOf(payload: (typeof deliveredPayloads)[number]): string {
  const id = payload.meta()?.id
  if (id === undefined) throw new Error(`the payload of ${payload.shape.type.value} has no id`)
  return id
}
