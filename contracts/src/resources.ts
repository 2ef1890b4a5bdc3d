import { durations } from './durations.ts'

/** The description of each group of operations in the API reference. */
export const resourceDescriptions = {
  me: 'Your profile, personal access tokens, sessions and authorized applications.',
  teams: 'Teams own all other resources. Each member has a role, and the plan sets the quotas and features.',
  members: 'The members of a team and their roles.',
  invitations: 'Invitations to join a team, sent by e-mail.',
  projects: 'A project collects feedback for one website or product of a team.',
  publicKeys: 'Public keys identify a project in public requests. They grant no access to your data.',
  submissions: 'Feedback from visitors and programs, with its moderation. New submissions are pending.',
  tags: 'The tags of submissions in a project. Give them with `submissions.update`.',
  testimonials: 'What customers said elsewhere, entered by the team. Testimonials are submissions, with the same ids.',
  surveys: 'Surveys and NPS questions, with their versions, languages and conditions.',
  responses: 'Responses to surveys. A response keeps the version of the survey that it answered.',
  analytics: 'NPS, submissions and responses of a project, by day.',
  videos: 'Videos: their upload by tus, their transcode, what is said beside them, and captions.',
  imports: 'CSV files, also those of other services, whose rows become testimonials.',
  widgets: 'Widgets show the public items of a project on a website: as a wall, a carousel or a badge.',
  webhooks: 'Endpoints that receive events, with deliveries and attempts.',
  events: `The change feed: the events that webhooks deliver, kept for ${durations.eventDays} days.`,
  privacy: 'Exports and erasures of what a person left, and their receipts.',
  auth: 'Sign-up, sign-in and sign-out. Responses never reveal whether an address has an account.',
  public: 'Operations for visitors, from any origin and without a credential. Only approved submissions with consent are shown.',
} as const
