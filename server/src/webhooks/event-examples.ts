import { type Event, type EventType, eventPayloads } from '@earshot/contracts'
import { z } from 'zod'
import recorded from './event-examples.json' with { type: 'json' }

/** Bodies of real events by type; test/contract/event-examples.test.ts records them. */
const examples: Readonly<Record<string, unknown>> = recorded
const schemas = new Map<EventType, Record<string, unknown>>()

/** Returns the example of a type of event, as one of a team. Its records do not exist. */
export function exampleFor(teamId: string, type: EventType): Event {
  const example = examples[type] as Event
  return JSON.parse(JSON.stringify(example).replaceAll(example.team_id, teamId)) as Event
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
