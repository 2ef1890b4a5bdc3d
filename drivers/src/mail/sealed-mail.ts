import { type MailFields, type MailSecret, type MailTemplate, mailData, type NotificationKind } from '@earshot/contracts'
import type { z } from 'zod'
import type { SecretBox } from '../secret-box.ts'
import { toMailLine } from './mail-line.ts'
import { type LinkTo, mailTemplates } from './templates.ts'
import { unsubscribeToken } from './unsubscribe.ts'

const PURPOSE = 'mail'

/** A mail to be queued: the template decides its fields and its secret. */
export interface NewMail<Template extends MailTemplate> {
  to: string
  template: Template
  fields: MailFields<Template>
  secret: MailSecret<Template>
}

/** A mail as the database stores it. */
export interface StoredMail {
  template: string
  fields: unknown
  sealed: Uint8Array | null
}

/** Returns a mail as it is queued: fields in clear, the secret sealed and bound to the template's name. */
export function sealMail<Template extends MailTemplate>(box: SecretBox, { to, template, fields, secret }: NewMail<Template>) {
  return { recipient: to, template, fields, sealed: hasSecret(template) ? sealMailSecret(box, template, secret) : null }
}

/** Returns the secret of a mail, sealed and bound to the template's name. */
export function sealMailSecret<Template extends MailTemplate>(box: SecretBox, template: Template, secret: MailSecret<Template>): Buffer {
  return box.seal(PURPOSE, JSON.stringify(secret), template)
}

interface WrittenMail {
  subject: string
  /** Null once the mail's secret is erased. */
  text: string | null
  /** Where its reader ends mails of this kind; null for a mail that nobody can end. */
  unsubscribeUrl: string | null
}

/** Writes a stored mail. Throws for a template of a newer version, or another key. */
export function writeMail(box: SecretBox, baseUrl: string, mail: StoredMail): WrittenMail {
  const { template, sealed } = mail
  if (!isTemplate(template)) throw new Error(`This version of Earshot does not know the mail "${template}".`)
  const { data, words } = find(template)
  const fields = toLines(data.fields.parse(mail.fields))
  const subject = words.subject(fields)
  if (sealed === null && hasSecret(template)) return { subject, text: null, unsubscribeUrl: null }
  const secret = data.secret.parse(sealed === null ? {} : JSON.parse(box.open(PURPOSE, sealed, template)))
  const linkTo: LinkTo = (page, token) => `${baseUrl}/accounts/${page}/${token === undefined ? '' : `?token=${encodeURIComponent(token)}`}`
  const unsubscribeUrl = data.ends ? linkTo('unsubscribe', unsubscribeToken(box, { kind: data.ends, ...memberOf(fields) })) : null
  const paragraphs = words.paragraphs({ ...fields, ...secret }, linkTo)
  const ending = unsubscribeUrl === null ? [] : ['To stop these mails, open this page:', unsubscribeUrl]
  return { subject, text: `${[...paragraphs, ...ending, `Earshot at ${baseUrl}`].join('\n\n')}\n`, unsubscribeUrl }
}

/** A template and its data with loose types. */
interface LooseTemplate {
  data: { fields: z.ZodObject; secret: z.ZodObject; ends?: NotificationKind }
  words: { subject: (fields: object) => string; paragraphs: (values: object, linkTo: LinkTo) => string[] }
}

function find(template: MailTemplate): LooseTemplate {
  // The words get only what the data of the same template parsed; that both belong together is beyond the compiler.
  return { data: mailData[template], words: mailTemplates[template] as unknown as LooseTemplate['words'] }
}

/** Every mail that can be ended has these fields. */
function memberOf({ team_id = '', user_id = '' }: Record<string, string>): { team_id: string; user_id: string } {
  return { team_id, user_id }
}

/** Fields hold names that people choose, so each is made one plain line. */
function toLines(fields: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toMailLine(String(value))]))
}

function isTemplate(name: string): name is MailTemplate {
  return Object.hasOwn(mailData, name)
}

function hasSecret(template: MailTemplate): boolean {
  return Object.keys(mailData[template].secret.shape).length > 0
}
