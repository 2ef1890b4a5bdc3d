import { durations } from '@earshot/contracts'
import { z } from 'zod'
import { toMailLine } from './mail-line.ts'

const line = z.string().transform(toMailLine)
const toPerson = z.object({ name: line })
const withToken = z.object({ token: z.string().min(1) })
const nothing = z.object({})

/** Addresses of pages. */
export type LinkTo = (page: string, token?: string) => string

interface Template<Fields extends z.ZodObject = z.ZodObject, Secret extends z.ZodObject = z.ZodObject> {
  /** Stored in clear. */
  fields: Fields
  /** Stored sealed, until the mail was sent. */
  secret: Secret
  subject: (fields: z.output<Fields>) => string
  paragraphs: (values: z.output<Fields> & z.output<Secret>, linkTo: LinkTo) => string[]
}

/** Every mail that is ever sent. */
export const mailTemplates = {
  'verify-email': template({
    fields: toPerson,
    secret: withToken,
    subject: () => 'Confirm your e-mail address',
    paragraphs: ({ name, token }, linkTo) => [
      `Hello ${name},`,
      'Please confirm that this address is yours:',
      linkTo('verify-email', token),
      'If you did not sign up, you need not do anything.',
    ],
  }),
  'sign-up-again': template({
    fields: toPerson,
    secret: nothing,
    subject: () => 'You already have an account',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'Somebody, probably you, tried to sign up with this address. It has an account already, so none was made. Sign in here:',
      linkTo('sign-in'),
      'If you have forgotten your password, you can ask there for a new one. If it was not you, you need not do anything.',
    ],
  }),
  'password-reset': template({
    fields: toPerson,
    secret: withToken,
    subject: () => 'Choose a new password',
    paragraphs: ({ name, token }, linkTo) => [
      `Hello ${name},`,
      'Somebody, probably you, asked for a new password for your account. Choose it here; the link works once:',
      linkTo('password-reset', token),
      'If it was not you, you need not do anything: your password stays as it is.',
    ],
  }),
  'password-changed': template({
    fields: toPerson,
    secret: nothing,
    subject: () => 'Your password was changed',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'The password of your account was changed.',
      'If it was not you, ask for a new password at once:',
      linkTo('password-reset'),
    ],
  }),
  invitation: template({
    fields: z.object({ team: line, inviter: line, role: line }),
    secret: withToken,
    subject: ({ team, inviter }) => `${inviter} invites you to ${team}`,
    paragraphs: ({ team, inviter, role, token }, linkTo) => [
      'Hello,',
      `${inviter} invites you to the team ${team}, as ${role}. Accept within ${durations.invitationDays} days:`,
      linkTo('invitation', token),
      'If you do not know what this is about, you need not do anything.',
    ],
  }),
  'webhook-disabled': template({
    fields: z.object({ name: line, team: line, host: line, endpoint: z.uuid() }),
    secret: nothing,
    subject: ({ team }) => `A webhook endpoint of ${team} is disabled`,
    paragraphs: ({ name, team, host, endpoint }) => [
      `Hello ${name},`,
      `For ${durations.failingEndpointDays} days no delivery to a webhook endpoint of the team ${team} succeeded, so nothing more is sent to it. It is the one at ${host}, with the id`,
      endpoint,
      `Events from now on are kept as skipped deliveries. Once the receiver answers again, resume the endpoint (earshot webhooks update, with --state active), and send what it missed within ${durations.eventDays} days by a replay.`,
    ],
  }),
  'mfa-enabled': template({
    fields: toPerson,
    secret: nothing,
    subject: () => 'Two-step sign-in is on',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'From now on your account asks for a code of your authenticator app when you sign in. Keep your recovery codes in a safe place.',
      'If it was not you, ask for a new password at once:',
      linkTo('password-reset'),
    ],
  }),
  'mfa-disabled': template({
    fields: toPerson,
    secret: nothing,
    subject: () => 'Two-step sign-in is off',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'Your account no longer asks for a code when you sign in; the password alone is enough.',
      'If it was not you, ask for a new password at once:',
      linkTo('password-reset'),
    ],
  }),
}

type Templates = typeof mailTemplates

/** A mail to be queued: the template decides its fields and its secret. */
export type NewMail = {
  [Name in keyof Templates]: {
    to: string
    template: Name
    fields: z.input<Templates[Name]['fields']>
    secret: z.input<Templates[Name]['secret']>
  }
}[keyof Templates]

/** The secret that a template's link carries. */
export type SecretOf<Name extends keyof Templates> = z.input<Templates[Name]['secret']>

/** Undefined for one that only a newer version knows. */
export function findTemplate(name: string): Template | undefined {
  // What a template is called with was parsed by its own schemas; that both belong together is beyond the compiler.
  return Object.hasOwn(mailTemplates, name) ? (mailTemplates[name as keyof Templates] as unknown as Template) : undefined
}

function template<Fields extends z.ZodObject, Secret extends z.ZodObject>(literal: Template<Fields, Secret>): Template<Fields, Secret> {
  return literal
}
