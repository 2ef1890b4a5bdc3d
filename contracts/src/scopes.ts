import { z } from 'zod'

/** Every scope with its meaning, as shown on the consent page, in the token form and in the OpenAPI document. */
export const scopeDescriptions = {
  'read:profile': 'Read your profile, sessions and authorized applications',
  'write:profile': 'Change your profile, password, two-factor authentication, sessions and authorized applications',
  'read:tokens': 'List your personal access tokens',
  'write:tokens': 'Create and delete personal access tokens with no more access than this one',
  'read:teams': 'See your teams, their settings, usage and audit log',
  'write:teams': 'Create teams, change their settings and delete them',
  'read:members': 'See the members and invitations of your teams',
  'write:members': 'Invite people, change their roles and remove them',
  'read:projects': 'See projects and their public keys',
  'write:projects': 'Create, change and delete projects and their public keys',
  'read:submissions': 'Read submissions in any state',
  'write:submissions': 'Create submissions, change their tags and metadata, and delete them',
  'moderate:submissions': 'Approve and reject submissions',
  'read:testimonials': 'Read testimonials',
  'write:testimonials': 'Create, change and delete testimonials',
  'read:surveys': 'Read surveys and their results',
  'write:surveys': 'Create, change, publish, close and delete surveys',
  'read:responses': 'Read survey responses',
  'write:responses': 'Record and delete survey responses',
  'read:videos': 'See videos and their drafts',
  'write:videos': 'Upload, change, submit and delete videos',
  'read:imports': 'See imports and their rows',
  'write:imports': 'Start, complete and undo imports',
  'read:widgets': 'See widgets',
  'write:widgets': 'Create, change and delete widgets',
  'read:webhooks': 'Read webhook endpoints, deliveries, attempts and events',
  'write:webhooks': 'Create, change, test, replay and delete webhook endpoints',
  'read:analytics': 'Read NPS and other analytics',
  'read:contacts': "See and search other people's e-mail addresses",
  'write:privacy': 'Export and erase all data of a person',
} as const

export type Scope = keyof typeof scopeDescriptions
export const scopes = Object.keys(scopeDescriptions) as [Scope, ...Scope[]]

export const Scope = z.enum(scopes).meta({ id: 'Scope', description: 'What a credential may access.', example: 'read:submissions' })
