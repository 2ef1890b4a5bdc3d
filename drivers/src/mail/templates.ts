import { durations, type MailFields, type MailSecret, type MailTemplate, wrongCodes } from '@earshot/contracts'

/** Returns the address of a page of the accounts. */
export type LinkTo = (page: string, token?: string) => string

/** The words of a mail, written from its fields and, but for the subject, its secret. */
interface Template<Name extends MailTemplate> {
  subject: (fields: MailFields<Name>) => string
  paragraphs: (values: MailFields<Name> & MailSecret<Name>, linkTo: LinkTo) => string[]
}

/** Every mail that the service sends. */
export const mailTemplates: { [Name in MailTemplate]: Template<Name> } = {
  'verify-email': {
    subject: () => 'Confirm your e-mail address',
    paragraphs: ({ name, token }, linkTo) => [
      `Hello ${name},`,
      'Confirm your e-mail address and choose a password to finish creating your account:',
      linkTo('verify-email', token),
      'If you did not sign up, you can ignore this e-mail.',
    ],
  },
  'sign-up-again': {
    subject: () => 'You already have an account',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'Someone, probably you, tried to sign up with this e-mail address. You already have an account. Sign in here:',
      linkTo('sign-in'),
      'If you forgot your password, you can reset it on that page. If you did not try to sign up, you can ignore this e-mail.',
    ],
  },
  'password-reset': {
    subject: () => 'Reset your password',
    paragraphs: ({ name, token }, linkTo) => [
      `Hello ${name},`,
      `Someone, probably you, asked to reset the password of your account. Choose a new password here. The link works once, within ${durations.passwordResetHours} hour:`,
      linkTo('password-reset', token),
      'If you did not ask for this, you can ignore this e-mail. Your password will not change.',
    ],
  },
  'password-changed': {
    subject: () => 'Your password was changed',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'The password of your account was just changed.',
      'If this was not you, reset your password now:',
      linkTo('password-reset'),
    ],
  },
  invitation: {
    subject: ({ team, inviter }) => `${inviter} invited you to ${team}`,
    paragraphs: ({ team, inviter, role, token }, linkTo) => [
      'Hello,',
      `${inviter} invited you to join the team ${team} as ${role}. Accept the invitation within ${durations.invitationDays} days:`,
      linkTo('invitation', token),
      'If you do not know this person, you can ignore this e-mail.',
    ],
  },
  'webhook-disabled': {
    subject: ({ team }) => `A webhook endpoint of ${team} was disabled`,
    paragraphs: ({ name, team, host, endpoint }) => [
      `Hello ${name},`,
      `We disabled a webhook endpoint of the team ${team} because no delivery to it has succeeded for ${durations.failingEndpointDays} days. It is the endpoint at ${host} with this id:`,
      endpoint,
      `New events are recorded as skipped deliveries. Once your receiver works again, resume the endpoint (earshot webhooks update, with --state active) and replay what it missed (earshot webhooks replay). Events are kept for ${durations.eventDays} days.`,
    ],
  },
  'pending-submissions': {
    subject: ({ team, news }) => `${team} has ${news}`,
    paragraphs: ({ name, team, news, places }) => [
      `Hello ${name},`,
      `The team ${team} has ${news}, waiting for a decision: ${places}.`,
      'Read them with "earshot submissions list --state pending", and decide with "earshot submissions approve" or "reject".',
    ],
  },
  'low-scores': {
    subject: ({ team, news }) => `${team} has ${news}`,
    paragraphs: ({ name, team, news, places, threshold }) => [
      `Hello ${name},`,
      `The team ${team} has ${news}, below ${threshold}: ${places}.`,
      'Read what these people said with "earshot responses list".',
    ],
  },
  'mfa-enabled': {
    subject: () => 'Two-factor authentication is on',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'Two-factor authentication is now on. When you sign in, your account asks for a code from your authenticator app. Keep your recovery codes in a safe place.',
      'If this was not you, reset your password now:',
      linkTo('password-reset'),
    ],
  },
  'mfa-disabled': {
    subject: () => 'Two-factor authentication is off',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      'Two-factor authentication is now off. Your password is enough to sign in.',
      'If this was not you, reset your password now:',
      linkTo('password-reset'),
    ],
  },
  'wrong-codes': {
    subject: () => 'Wrong codes for your account',
    paragraphs: ({ name }, linkTo) => [
      `Hello ${name},`,
      `Today ${wrongCodes.mailed} wrong codes for two-factor authentication were entered for your account. That takes your password, or somewhere you are signed in.`,
      'If this was not you, reset your password now:',
      linkTo('password-reset'),
    ],
  },
}
