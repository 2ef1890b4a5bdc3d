import { type Event, type EventType, eventPayloads } from '@earshot/contracts'
import { z } from 'zod'
import recorded from './event-examples.json' with { type: 'json' }
import { presentPayload } from './present.ts'

const schemas = new Map<EventType, Record<string, unknown>>()

/**
 * Returns the example of a type of event, with the id of a team; its other records do not exist. The examples are bodies of real events:
 * test/contract/event-examples.test.ts records them.
 */
export function exampleFor(teamId: string, type: EventType): Event {
  const example = recorded[type]
  return presentPayload(JSON.stringify(example).replaceAll(example.team_id, teamId))
}

/** Lists the types of events with their schemas and examples. */
export function listEventTypes(teamId: string) {
  return eventPayloads.map((payload) => {
    const type = payload.shape.type.value
    return { type, description: payload.description ?? '', schema: schemaOf(payload), example: exampleFor(teamId, type) }
  })
}

/** Made once for each type. */
function schemaOf(payload: (typeof eventPayloads)[number]): Record<string, unknown> {
  const type = payload.shape.type.value
  const schema = schemas.get(type) ?? { ...z.toJSONSchema(payload, { io: 'output' }) }
  schemas.set(type, schema)
  return schema
}
