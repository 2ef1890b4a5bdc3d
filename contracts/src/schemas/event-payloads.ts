import { z } from 'zod'
import { Invitation } from '../invitations.ts'
import { Member } from '../members.ts'
import { eventDescriptions } from './event-descriptions.ts'
import type { EventType } from './event-types.ts'
import { Import } from './import.ts'
import { EventEndpoint, ExhaustedDelivery } from './operational-event.ts'
import { Id, timestamp } from './primitives.ts'
import { TeamUser } from './profile.ts'
import { Submission } from './submission.ts'
import { SurveyResponse } from './survey-response.ts'
import { Testimonial } from './testimonial.ts'
import { Video } from './video.ts'

const payloadMeanings = { ...eventDescriptions, 'webhook.test': 'A person tested the endpoint.' } as const

/**
 * The `data` of each event: the resource under its own name, as the API returns it; of events about endpoints, what receivers of others may see. Events of resources that do not exist yet
 * are here so that receivers can be written for them.
 */
const dataOf = {
  'submission.created': z.object({ submission: Submission }),
  'submission.approved': z.object({ submission: Submission }),
  'submission.rejected': z.object({ submission: Submission }),
  'testimonial.created': z.object({ testimonial: Testimonial }),
  'survey.response.created': z.object({ response: SurveyResponse }),
  'nps.low_score': z.object({ response: SurveyResponse }),
  'video.ready': z.object({ video: Video }),
  'import.completed': z.object({ import: Import }),
  'team.member.added': z.object({ member: Member }),
  'team.invitation.created': z.object({ invitation: Invitation }),
  'user.profile.updated': z.object({ user: TeamUser }),
  'webhook.endpoint.disabled': z.object({ endpoint: EventEndpoint }),
  'webhook.delivery.exhausted': z.object({ endpoint: EventEndpoint, delivery: ExhaustedDelivery }),
} as const satisfies Record<EventType, z.ZodObject>

/** The `data` of each event by type. */
export type EventData = { [Type in EventType]: z.input<(typeof dataOf)[Type]> }

function payloadOf<const Type extends keyof typeof payloadMeanings, Data extends z.ZodObject>(type: Type, data: Data) {
  return z
    .object({
      id: Id.meta({ description: 'Id of the event, the same for all endpoints and attempts.' }),
      type: z.literal(type).meta({ description: payloadMeanings[type] }),
      api_version: z.literal('v1').meta({ description: 'Version of the payload.' }),
      created_at: timestamp('Time of the event.'),
      team_id: Id.meta({ description: 'The team.' }),
      project_id: Id.nullable().meta({ description: 'The project, if the event belongs to one.' }),
      data: data.meta({ description: 'The resource under its own name, as the API returns it.' }),
    })
    .meta({ id: `${pascalCase(type)}Event`, description: payloadMeanings[type] })
}

/** The bodies that webhooks deliver, by type. */
export const eventPayloads = [
  payloadOf('submission.created', dataOf['submission.created']),
  payloadOf('submission.approved', dataOf['submission.approved']),
  payloadOf('submission.rejected', dataOf['submission.rejected']),
  payloadOf('testimonial.created', dataOf['testimonial.created']),
  payloadOf('survey.response.created', dataOf['survey.response.created']),
  payloadOf('nps.low_score', dataOf['nps.low_score']),
  payloadOf('video.ready', dataOf['video.ready']),
  payloadOf('import.completed', dataOf['import.completed']),
  payloadOf('team.member.added', dataOf['team.member.added']),
  payloadOf('team.invitation.created', dataOf['team.invitation.created']),
  payloadOf('user.profile.updated', dataOf['user.profile.updated']),
  payloadOf('webhook.endpoint.disabled', dataOf['webhook.endpoint.disabled']),
  payloadOf('webhook.delivery.exhausted', dataOf['webhook.delivery.exhausted']),
] as const

/** The type that `webhooks.test` sends: outside the catalogue, so that nobody subscribes to it and the change feed omits it. */
export const TEST_EVENT = 'webhook.test'
const TestEvent = payloadOf(
  TEST_EVENT,
  z.object({
    endpoint: z
      .object({ id: Id.meta({ description: 'The tested endpoint.' }), url: z.string().meta({ description: 'Address of the endpoint.' }) })
      .meta({ description: 'The tested endpoint.' }),
  }),
)

/** Every body that a receiver can get, by type. */
export const deliveredPayloads = [...eventPayloads, TestEvent] as const

export const Event = z
  .discriminatedUnion('type', eventPayloads)
  .meta({ id: 'Event', description: 'An event, exactly as webhooks deliver it.' })
export type Event = z.infer<typeof Event>

export const DeliveredEvent = z
  .discriminatedUnion('type', deliveredPayloads)
  .meta({ id: 'DeliveredEvent', description: 'The body of a delivery: an event, or the test event of `webhooks.test`.' })
export type DeliveredEvent = z.infer<typeof DeliveredEvent>

function pascalCase(type: string): string {
  return type.replace(/(^|[._])(\w)/g, (_match, _separator, letter: string) => letter.toUpperCase())
}
