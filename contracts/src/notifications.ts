import { z } from 'zod'
import { operation } from './operation.ts'
import { ME } from './paths.ts'
import { Id } from './schemas/primitives.ts'

/** What members of a team get mails about: submissions that wait for a decision, and responses with a low NPS score. */
export const notificationKinds = ['pending', 'low_nps'] as const
export type NotificationKind = (typeof notificationKinds)[number]

export const NotificationFrequency = z.enum(['instant', 'daily', 'off']).meta({
  id: 'NotificationFrequency',
  description: 'When you get mails: `instant` within minutes, `daily` at eight in the morning of your time zone, or `off`.',
  example: 'daily',
})
export type NotificationFrequency = z.infer<typeof NotificationFrequency>

const pending = NotificationFrequency.meta({ description: 'Mails about submissions that wait for a decision.' })
const low_nps = NotificationFrequency.meta({ description: 'Mails about NPS scores below the threshold of the team.' })

const TeamNotifications = z
  .object({
    team_id: Id.meta({ description: 'The team.' }),
    pending,
    low_nps,
  } satisfies Record<NotificationKind | 'team_id', z.ZodType>)
  .meta({
    id: 'TeamNotifications',
    description: 'When you get mails of a team.',
  })

const Notifications = z
  .object({ teams: z.array(TeamNotifications).meta({ description: 'One entry for each of your teams.' }) })
  .meta({ id: 'Notifications', description: 'When you get mails of your teams.' })

export const notifications = {
  retrieve: operation({
    method: 'GET',
    path: `${ME}/notifications/`,
    summary: 'Retrieve your notifications',
    description:
      'Owners, admins and members get mails about what is new, once a day unless they choose otherwise, and none about nothing. Viewers get none.',
    scope: 'read:profile',
    input: z.strictObject({}),
    output: Notifications,
  }),
  update: operation({
    method: 'PATCH',
    path: `${ME}/notifications/`,
    summary: 'Update your notifications of a team',
    description: 'Omitted fields stay unchanged.',
    scope: 'write:profile',
    errors: ['not_found'],
    input: z.strictObject({
      team_id: Id.meta({ description: 'The team.' }),
      pending: pending.optional(),
      low_nps: low_nps.optional(),
    }),
    output: Notifications,
  }),
}
