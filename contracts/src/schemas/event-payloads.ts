import { z } from 'zod'
import { Invitation } from '../invitations.ts'
import { Member } from '../members.ts'
import { Import } from './import.ts'
import { Id, timestamp } from './primitives.ts'
import { TeamUser } from './profile.ts'
import { Submission } from './submission.ts'
import { SurveyResponse } from './survey-response.ts'
import { Testimonial } from './testimonial.ts'
import { Video } from './video.ts'

/** Every event of the specification with what it tells. */
export const eventDescriptions = {
  'submission.created': 'Something arrived through any channel; it is still pending.',
  'submission.approved': 'A person approved a submission; with consent it is public now.',
  'submission.rejected': 'A person rejected a submission.',
  'testimonial.created': 'A testimonial was created directly, by API, MCP or import.',
  'survey.response.created': 'A survey or NPS response was recorded.',
  'nps.low_score': "An NPS answer is below the team's threshold.",
  'video.ready': 'A transcode finished and a moderator can watch the clip; it is not public.',
  'import.completed': 'A CSV import finished.',
  'team.member.added': 'Somebody joined the team.',
  'team.invitation.created': 'An invitation was sent.',
  'user.profile.updated': "A member's profile changed.",
} as const
export type EventType = keyof typeof eventDescriptions
export const eventTypes = Object.keys(eventDescriptions) as [EventType, ...EventType[]]
export const EventType = z.enum(eventTypes).meta({ id: 'EventType', description: 'What happened.', example: 'submission.approved' })

const payloadMeanings = { ...eventDescriptions, 'webhook.test': 'Somebody tried the endpoint; nothing happened.' } as const

/**
 * The `data` of each event: the resource under its name, as the API shows it. Those whose resource the service does not
 * have yet are here so that receivers can be written; they fire when it comes.
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
} as const satisfies Record<EventType, z.ZodObject>

/** The `data` of each event by type. */
export type EventData = { [Type in EventType]: z.input<(typeof dataOf)[Type]> }

function payloadOf<const Type extends keyof typeof payloadMeanings, Data extends z.ZodObject>(type: Type, data: Data) {
  return z
    .object({
      id: Id.meta({ description: 'The event; the same over all endpoints and attempts.' }),
      type: z.literal(type).meta({ description: payloadMeanings[type] }),
      api_version: z.literal('v1').meta({ description: 'Version of the payload.' }),
      created_at: timestamp('When it happened.'),
      team_id: Id.meta({ description: 'The team.' }),
      project_id: Id.nullable().meta({ description: 'The project, if it happened in one.' }),
      data: data.meta({ description: 'The resource under its name, as the API shows it.' }),
    })
    .meta({ id: `${pascalCase(type)}Event`, description: payloadMeanings[type] })
}

/** The very body that webhooks deliver, by type. */
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
] as const

/** What `webhooks.test` sends. It is no event of the catalogue: nobody subscribes to it, and the change feed does not have it. */
export const TEST_EVENT = 'webhook.test'
const TestEvent = payloadOf(
  TEST_EVENT,
  z.object({
    endpoint: z
      .object({ id: Id.meta({ description: 'The endpoint that is tried.' }), url: z.string().meta({ description: 'Its address.' }) })
      .meta({ description: 'The endpoint that is tried.' }),
  }),
)

/** Whatever a receiver can get, by type. */
export const deliveredPayloads = [...eventPayloads, TestEvent] as const

export const Event = z
  .discriminatedUnion('type', eventPayloads)
  .meta({ id: 'Event', description: 'Something that happened, exactly as webhooks deliver it.' })
export type Event = z.infer<typeof Event>

export const DeliveredEvent = z
  .discriminatedUnion('type', deliveredPayloads)
  .meta({ id: 'DeliveredEvent', description: 'The body of a delivery: an event, or what `webhooks.test` sends.' })
export type DeliveredEvent = z.infer<typeof DeliveredEvent>

function pascalCase(type: string): string {
  return type.replace(/(^|[._])(\w)/g, (_match, _separator, letter: string) => letter.toUpperCase())
}
