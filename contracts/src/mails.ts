import { z } from 'zod'

const toPerson = z.object({ name: z.string() })
const withLink = z.object({ token: z.string().min(1) })
const nothing = z.object({})

/**
 * The mails that the service sends and the data of each: `fields` are stored in clear, `secret` is stored sealed until the
 * mail was sent. Mails are no part of the public API; they stand here because the database and the mail driver share them.
 */
export const mailData = {
  'verify-email': { fields: toPerson, secret: withLink },
  'sign-up-again': { fields: toPerson, secret: nothing },
  'password-reset': { fields: toPerson, secret: withLink },
  'password-changed': { fields: toPerson, secret: nothing },
  invitation: { fields: z.object({ team: z.string(), inviter: z.string(), role: z.string() }), secret: withLink },
  'webhook-disabled': {
    fields: z.object({ name: z.string(), team: z.string(), host: z.string(), endpoint: z.uuid() }),
    secret: nothing,
  },
  'mfa-enabled': { fields: toPerson, secret: nothing },
  'mfa-disabled': { fields: toPerson, secret: nothing },
  'wrong-codes': { fields: toPerson, secret: nothing },
}

/** The name of a mail. */
export type MailTemplate = keyof typeof mailData
export type MailFields<Template extends MailTemplate> = z.output<(typeof mailData)[Template]['fields']>
export type MailSecret<Template extends MailTemplate> = z.output<(typeof mailData)[Template]['secret']>
