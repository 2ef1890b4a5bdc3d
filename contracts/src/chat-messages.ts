import { events } from './events.ts'
import { imports } from './imports.ts'
import { invitations } from './invitations.ts'
import { members } from './members.ts'
import type { DeliveredEvent } from './schemas/event-payloads.ts'
import { submissions } from './submissions/submissions.ts'
import { responses } from './surveys/responses.ts'
import { testimonials } from './testimonials.ts'
import { videos } from './videos.ts'
import { webhooks } from './webhooks.ts'

type Shown = string | number | boolean | readonly string[] | readonly { value: unknown }[] | null | undefined

/** The dotted paths of the values that a message may show. E-mail addresses are not among them. */
type PathIn<Value> = {
  [Name in keyof Value & string]: Name extends 'email'
    ? never
    : Value[Name] extends Shown
      ? Name
      : NonNullable<Value[Name]> extends readonly unknown[]
        ? never
        : NonNullable<Value[Name]> extends object
          ? `${Name}.${PathIn<NonNullable<Value[Name]>>}`
          : never
}[keyof Value & string]

type DataOf<Type> = Extract<DeliveredEvent, { type: Type }>['data']

/** What people read of an event in their chat: our words, and where its own come from. */
export interface ChatMessage<Path extends string = string> {
  title: string
  /** A sentence of ours. */
  note?: string
  /** Where the words of a person are, in `data`. Of answers, those in words are shown. */
  text?: Path
  /** Short values, in this order; those that are null are left out. */
  fields: readonly { label: string; from: Path; as?: 'stars' | 'seconds' | 'day' }[]
  /** Where to read more: the path of an operation. */
  link: { label: string; path: string }
  /** The operations by which a person decides, with the path fields of `link`. */
  decisions?: readonly string[]
  /** Where the path fields of `link` are in `data`; the team and the project are those of the event. */
  ids: Readonly<Record<string, Path>>
}

const author = [
  { label: 'Author', from: 'submission.author.name' },
  { label: 'Job title', from: 'submission.author.title' },
  { label: 'Company', from: 'submission.author.company' },
  { label: 'Rating', from: 'submission.rating', as: 'stars' },
] as const

const submission = {
  text: 'submission.body',
  link: { label: 'Open the submission', path: submissions.retrieve.path },
  ids: { submission_id: 'submission.id' },
} as const

const response = {
  text: 'response.answers',
  link: { label: 'Open the response', path: responses.retrieve.path },
  ids: { survey_id: 'response.survey_id', response_id: 'response.id' },
} as const

const endpoint = {
  link: { label: 'Open the endpoint', path: webhooks.retrieve.path },
  ids: { webhook_id: 'endpoint.id' },
} as const

const receiver = [
  { label: 'Host', from: 'endpoint.host' },
  { label: 'Description', from: 'endpoint.description' },
] as const

const openMembers = { link: { label: 'Open the members', path: members.list.path }, ids: {} } as const

const table = {
  'submission.created': {
    ...submission,
    title: 'New submission',
    note: 'It waits for a decision.',
    fields: [{ label: 'Title', from: 'submission.title' }, ...author, { label: 'Channel', from: 'submission.channel' }],
    decisions: ['submissions.approve', 'submissions.reject'],
  },
  'submission.approved': {
    ...submission,
    title: 'Submission approved',
    fields: [{ label: 'Title', from: 'submission.title' }, ...author, { label: 'Reason', from: 'submission.moderation.reason' }],
  },
  'submission.rejected': {
    ...submission,
    title: 'Submission rejected',
    fields: [{ label: 'Title', from: 'submission.title' }, ...author, { label: 'Reason', from: 'submission.moderation.reason' }],
  },
  'testimonial.created': {
    title: 'New testimonial',
    note: 'It waits for a decision.',
    text: 'testimonial.body',
    fields: [
      { label: 'Title', from: 'testimonial.title' },
      { label: 'Author', from: 'testimonial.author.name' },
      { label: 'Job title', from: 'testimonial.author.title' },
      { label: 'Company', from: 'testimonial.author.company' },
      { label: 'Rating', from: 'testimonial.rating', as: 'stars' },
      { label: 'Source', from: 'testimonial.source.provider' },
    ],
    link: { label: 'Open the testimonial', path: testimonials.retrieve.path },
    decisions: ['submissions.approve', 'submissions.reject'],
    ids: { testimonial_id: 'testimonial.id' },
  },
  'survey.response.created': {
    ...response,
    title: 'New survey response',
    fields: [
      { label: 'Respondent', from: 'response.respondent.name' },
      { label: 'NPS score', from: 'response.nps_score' },
      { label: 'Language', from: 'response.language' },
    ],
  },
  'nps.low_score': {
    ...response,
    title: 'Low NPS score',
    note: 'It is below the threshold of the team.',
    fields: [
      { label: 'NPS score', from: 'response.nps_score' },
      { label: 'Respondent', from: 'response.respondent.name' },
    ],
  },
  'video.ready': {
    title: 'Video ready',
    note: 'A moderator can watch it. It is not public.',
    text: 'video.draft.body',
    fields: [
      { label: 'Title', from: 'video.draft.title' },
      { label: 'Author', from: 'video.draft.author.name' },
      { label: 'Company', from: 'video.draft.author.company' },
      { label: 'Rating', from: 'video.draft.rating', as: 'stars' },
      { label: 'Duration', from: 'video.duration_ms', as: 'seconds' },
    ],
    link: { label: 'Open the video', path: videos.retrieve.path },
    ids: { video_id: 'video.id' },
  },
  'import.completed': {
    title: 'Import finished',
    fields: [
      { label: 'File', from: 'import.file_name' },
      { label: 'State', from: 'import.state' },
      { label: 'Rows', from: 'import.totals.rows' },
      { label: 'Created', from: 'import.totals.created' },
      { label: 'Updated', from: 'import.totals.updated' },
      { label: 'Skipped', from: 'import.totals.skipped' },
      { label: 'Failed', from: 'import.totals.failed' },
    ],
    link: { label: 'Open the import', path: imports.retrieve.path },
    ids: { import_id: 'import.id' },
  },
  'team.member.added': {
    ...openMembers,
    title: 'New member',
    fields: [
      { label: 'Name', from: 'member.user.name' },
      { label: 'Role', from: 'member.role' },
    ],
  },
  'team.invitation.created': {
    title: 'Invitation sent',
    fields: [
      { label: 'Invited by', from: 'invitation.invited_by.name' },
      { label: 'Role', from: 'invitation.role' },
      { label: 'Valid until', from: 'invitation.expires_at', as: 'day' },
    ],
    link: { label: 'Open the invitations', path: invitations.list.path },
    ids: {},
  },
  'user.profile.updated': {
    ...openMembers,
    title: 'Profile changed',
    fields: [{ label: 'Name', from: 'user.name' }],
  },
  'webhook.endpoint.disabled': {
    ...endpoint,
    title: 'Webhook endpoint disabled',
    note: 'It failed for days, and gets no deliveries until somebody resumes it.',
    fields: [...receiver, { label: 'Last success', from: 'endpoint.last_success_at', as: 'day' }],
  },
  'webhook.delivery.exhausted': {
    ...endpoint,
    title: 'Webhook delivery failed',
    note: 'There are no more attempts.',
    fields: [
      ...receiver,
      { label: 'Event', from: 'delivery.event_type' },
      { label: 'Attempts', from: 'delivery.attempt_count' },
      { label: 'Status code', from: 'delivery.last_attempt.status_code' },
      { label: 'Error', from: 'delivery.last_attempt.error_code' },
    ],
  },
  'webhook.test': {
    ...endpoint,
    title: 'Test of a webhook endpoint',
    note: 'Messages arrive here.',
    fields: [],
  },
} as const satisfies { [Type in DeliveredEvent['type']]: ChatMessage<PathIn<DataOf<Type>>> }

/** The message of each type of event that a receiver can get. */
export const chatMessages: Readonly<Record<DeliveredEvent['type'], ChatMessage>> = table

/** The message of a type of event that is newer than this worker. */
export const newerChatMessage: ChatMessage = {
  title: 'New event',
  fields: [],
  link: { label: 'Open the events', path: events.list.path },
  ids: {},
}
