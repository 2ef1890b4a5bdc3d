import { durations, type MailFields, type MailSecret, type MailTemplate } from '@earshot/contracts'

/** Addresses of pages. */
export type LinkTo = (page: string, token?: string) => string

/** The words of a mail, written from its fields and, but for the subject, its secret. */
interface Template<Name extends MailTemplate> {
  subject: (fields: MailFields<Name>) => string
  paragraphs: (values: MailFields<Name> & MailSecret<Name>, linkTo: LinkTo) => string[]
}

/** Every mail that is ever sent. */
export const mailTemplates: { [Name in MailTemplate]: Template<Name> } = {
  'verify-email': {
    subject: () => 'Confirm your e-mail address',
    paragraphs: ({ name, token }, linkTo) => [
      `Hello ${name},`,
      'Please confirm that this address is yours:',
      linkTo('verify-email', token),
      'If you did not sign up, you need not do anything.',
    ],
  },
  'sign-up-again': {
    subject: () => 'You already have an account',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'Somebody, probably you, tried to sign up with this address. It has an account already, so none was made. Sign in here:',
      linkTo('sign-in'),
      'If you have forgotten your password, you can ask there for a new one. If it was not you, you need not do anything.',
    ],
  },
  'password-reset': {
    subject: () => 'Choose a new password',
    paragraphs: ({ name, token }, linkTo) => [
      `Hello ${name},`,
      'Somebody, probably you, asked for a new password for your account. Choose it here; the link works once:',
      linkTo('password-reset', token),
      'If it was not you, you need not do anything: your password stays as it is.',
    ],
  },
  'password-changed': {
    subject: () => 'Your password was changed',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'The password of your account was changed.',
      'If it was not you, ask for a new password at once:',
      linkTo('password-reset'),
    ],
  },
  invitation: {
    subject: ({ team, inviter }) => `${inviter} invites you to ${team}`,
    paragraphs: ({ team, inviter, role, token }, linkTo) => [
      'Hello,',
      `${inviter} invites you to the team ${team}, as ${role}. Accept within ${durations.invitationDays} days:`,
      linkTo('invitation', token),
      'If you do not know what this is about, you need not do anything.',
    ],
  },
  'webhook-disabled': {
    subject: ({ team }) => `A webhook endpoint of ${team} is disabled`,
    paragraphs: ({ name, team, host, endpoint }) => [
      `Hello ${name},`,
      `For ${durations.failingEndpointDays} days no delivery to a webhook endpoint of the team ${team} succeeded, so nothing more is sent to it. It is the one at ${host}, with the id`,
      endpoint,
      `Events from now on are kept as skipped deliveries. Once the receiver answers again, resume the endpoint (earshot webhooks update, with --state active), and send what it missed within ${durations.eventDays} days by a replay.`,
    ],
  },
  'mfa-enabled': {
    subject: () => 'Two-step sign-in is on',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'From now on your account asks for a code of your authenticator app when you sign in. Keep your recovery codes in a safe place.',
      'If it was not you, ask for a new password at once:',
      linkTo('password-reset'),
    ],
  },
  'mfa-disabled': {
    subject: () => 'Two-step sign-in is off',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'Your account no longer asks for a code when you sign in; the password alone is enough.',
      'If it was not you, ask for a new password at once:',
      linkTo('password-reset'),
    ],
  },
}
