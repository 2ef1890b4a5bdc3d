import { durations } from '@earshot/contracts'
import { z } from 'zod'
import { toMailLine } from './mail-line.ts'

const line = z.string().transform(toMailLine)
const toPerson = z.object({ name: line })
const withToken = z.object({ token: z.string().min(1) })
const nothing = z.object({})

/** Returns the address of a page of the accounts. */
export type LinkTo = (page: string, token?: string) => string

interface Template<Fields extends z.ZodObject = z.ZodObject, Secret extends z.ZodObject = z.ZodObject> {
  /** Stored in plain text. */
  fields: Fields
  /** Stored sealed, and erased once the mail is sent. */
  secret: Secret
  subject: (fields: z.output<Fields>) => string
  paragraphs: (values: z.output<Fields> & z.output<Secret>, linkTo: LinkTo) => string[]
}

/** Every mail that the service sends. */
export const mailTemplates = {
  'verify-email': template({
    fields: toPerson,
    secret: withToken,
    subject: () => 'Confirm your e-mail address',
    paragraphs: ({ name, token }, linkTo) => [
      `Hello ${name},`,
      'Confirm your e-mail address to finish creating your account:',
      linkTo('verify-email', token),
      'If you did not sign up, you can ignore this e-mail.',
    ],
  }),
  'sign-up-again': template({
    fields: toPerson,
    secret: nothing,
    subject: () => 'You already have an account',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'Someone, probably you, tried to sign up with this e-mail address. You already have an account. Sign in here:',
      linkTo('sign-in'),
      'If you forgot your password, you can reset it on that page. If you did not try to sign up, you can ignore this e-mail.',
    ],
  }),
  'password-reset': template({
    fields: toPerson,
    secret: withToken,
    subject: () => 'Reset your password',
    paragraphs: ({ name, token }, linkTo) => [
      `Hello ${name},`,
      `Someone, probably you, asked to reset the password of your account. Choose a new password here. The link works once, within ${durations.passwordResetHours} hour:`,
      linkTo('password-reset', token),
      'If you did not ask for this, you can ignore this e-mail. Your password will not change.',
    ],
  }),
  'password-changed': template({
    fields: toPerson,
    secret: nothing,
    subject: () => 'Your password was changed',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'The password of your account was just changed.',
      'If this was not you, reset your password now:',
      linkTo('password-reset'),
    ],
  }),
  invitation: template({
    fields: z.object({ team: line, inviter: line, role: line }),
    secret: withToken,
    subject: ({ team, inviter }) => `${inviter} invited you to ${team}`,
    paragraphs: ({ team, inviter, role, token }, linkTo) => [
      'Hello,',
      `${inviter} invited you to join the team ${team} as ${role}. Accept the invitation within ${durations.invitationDays} days:`,
      linkTo('invitation', token),
      'If you do not know this person, you can ignore this e-mail.',
    ],
  }),
  'webhook-disabled': template({
    fields: z.object({ name: line, team: line, host: line, endpoint: z.uuid() }),
    secret: nothing,
    subject: ({ team }) => `A webhook endpoint of ${team} was disabled`,
    paragraphs: ({ name, team, host, endpoint }) => [
      `Hello ${name},`,
      `We disabled a webhook endpoint of the team ${team} because no delivery to it has succeeded for ${durations.failingEndpointDays} days. It is the endpoint at ${host} with this id:`,
      endpoint,
      `New events are recorded as skipped deliveries. Once your receiver works again, resume the endpoint (earshot webhooks update, with --state active) and replay what it missed (earshot webhooks replay). Events are kept for ${durations.eventDays} days.`,
    ],
  }),
  'mfa-enabled': template({
    fields: toPerson,
    secret: nothing,
    subject: () => 'Two-factor authentication is on',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'Two-factor authentication is now on. When you sign in, your account asks for a code from your authenticator app. Keep your recovery codes in a safe place.',
      'If this was not you, reset your password now:',
      linkTo('password-reset'),
    ],
  }),
  'mfa-disabled': template({
    fields: toPerson,
    secret: nothing,
    subject: () => 'Two-factor authentication is off',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'Two-factor authentication is now off. Your password is enough to sign in.',
      'If this was not you, reset your password now:',
      linkTo('password-reset'),
    ],
  }),
}

type Templates = typeof mailTemplates

/** A mail to queue: its template decides its fields and its secret. */
export type NewMail = {
  [Name in keyof Templates]: {
    to: string
    template: Name
    fields: z.input<Templates[Name]['fields']>
    secret: z.input<Templates[Name]['secret']>
  }
}[keyof Templates]

/** The secret in a template's link. */
export type SecretOf<Name extends keyof Templates> = z.input<Templates[Name]['secret']>

/** Returns a template by name; undefined if only a newer version has it. */
export function findTemplate(name: string): Template | undefined {
  // Proven: a template is called only with values that its own schemas have parsed.
  return Object.hasOwn(mailTemplates, name) ? (mailTemplates[name as keyof Templates] as unknown as Template) : undefined
}

function template<Fields extends z.ZodObject, Secret extends z.ZodObject>(literal: Template<Fields, Secret>): Template<Fields, Secret> {
  return literal
}
