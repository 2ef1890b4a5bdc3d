import { z } from 'zod'
import type { NotificationKind } from './notifications.ts'

const toPerson = z.object({ name: z.string() })
const withLink = z.object({ token: z.string().min(1) })
const nothing = z.object({})

/**
 * How many mails a mailbox gets in each hour and day of the clock, by cause: `requested` by anybody who knows the address;
 * `security` for the owner, about their own account, so that no stranger can use these up; `team` about a team's endpoints;
 * `news` about what came in.
 */
export const mailBudgets = {
  requested: { hourly: 10, daily: 30 },
  security: { hourly: 20, daily: 60 },
  team: { hourly: 30, daily: 100 },
  news: { hourly: 30, daily: 300 },
} as const

interface MailData {
  budget: keyof typeof mailBudgets
  fields: z.ZodObject
  secret: z.ZodObject
  /** Whoever gets it can end all mails of this kind of the team in `fields`. */
  ends?: NotificationKind
}

const toMember = z.object({ name: z.string(), team: z.string(), team_id: z.uuid(), user_id: z.uuid() })
const withNews = toMember.extend({ news: z.string(), places: z.string() })

/**
 * The mails that the service sends and the data of each: `fields` are stored in clear, `secret` is stored sealed until the
 * mail was sent, and `budget` limits how many a mailbox gets. Mails are no part of the public API; they stand here because the
 * database and the mail driver share them.
 */
export const mailData = {
  'verify-email': { budget: 'requested', fields: toPerson, secret: withLink },
  'sign-up-again': { budget: 'requested', fields: toPerson, secret: nothing },
  'password-reset': { budget: 'requested', fields: toPerson, secret: withLink },
  'password-changed': { budget: 'security', fields: toPerson, secret: nothing },
  // The team's id is not in its words: an erasure finds the mail by it. Mails from before it have none.
  invitation: {
    budget: 'requested',
    fields: z.object({ team: z.string(), inviter: z.string(), role: z.string(), team_id: z.uuid().optional() }),
    secret: withLink,
  },
  'webhook-disabled': {
    budget: 'team',
    fields: z.object({ name: z.string(), team: z.string(), host: z.string(), endpoint: z.uuid() }),
    secret: nothing,
  },
  'pending-submissions': { budget: 'news', fields: withNews, secret: nothing, ends: 'pending' },
  'low-scores': { budget: 'news', fields: withNews.extend({ threshold: z.string() }), secret: nothing, ends: 'low_nps' },
  'mfa-enabled': { budget: 'security', fields: toPerson, secret: nothing },
  'mfa-disabled': { budget: 'security', fields: toPerson, secret: nothing },
  'wrong-codes': { budget: 'security', fields: toPerson, secret: nothing },
} satisfies Record<string, MailData>

/** The name of a mail. */
export type MailTemplate = keyof typeof mailData
export type MailFields<Template extends MailTemplate> = z.output<(typeof mailData)[Template]['fields']>
export type MailSecret<Template extends MailTemplate> = z.output<(typeof mailData)[Template]['secret']>
