import type { SecretBox } from '../secret-box.ts'
import { findTemplate, type LinkTo, mailTemplates, type NewMail, type SecretOf } from './templates.ts'

const PURPOSE = 'mail'

/** A mail as the database stores it. */
export interface StoredMail {
  template: string
  fields: unknown
  sealed: Uint8Array | null
}

/** Returns the row of a mail to queue: fields in plain JSON, the secret sealed and bound to the template's name. */
export function sealMail(box: SecretBox, { to, template, fields, secret }: NewMail) {
  const hasSecret = Object.keys(mailTemplates[template].secret.shape).length > 0
  return {
    recipient: to,
    template,
    fields: JSON.stringify(fields),
    sealed: hasSecret ? sealMailSecret(box, template, secret) : null,
  }
}

/** Seals the secret of a mail, bound to its template, where SQL supplies the other fields. */
export function sealMailSecret<Name extends NewMail['template']>(box: SecretBox, template: Name, secret: SecretOf<Name>): Buffer {
  return box.seal(PURPOSE, JSON.stringify(secret), template)
}

/**
 * Writes the subject and text of a stored mail; the text is null once its secret is erased. Throws for a template of a newer
 * version, or another key.
 */
export function writeMail(box: SecretBox, baseUrl: string, mail: StoredMail): { subject: string; text: string | null } {
  const template = findTemplate(mail.template)
  if (!template) throw new Error(`This version of Earshot does not know the mail "${mail.template}".`)
  const fields = template.fields.parse(mail.fields)
  const subject = template.subject(fields)
  const needsSecret = Object.keys(template.secret.shape).length > 0
  if (needsSecret && mail.sealed === null) return { subject, text: null }
  const secret = template.secret.parse(mail.sealed === null ? {} : JSON.parse(box.open(PURPOSE, mail.sealed, mail.template)))
  const linkTo: LinkTo = (page, token) => `${baseUrl}/accounts/${page}/${token === undefined ? '' : `?token=${encodeURIComponent(token)}`}`
  const paragraphs = template.paragraphs({ ...fields, ...secret }, linkTo)
  return { subject, text: `${[...paragraphs, `Earshot at ${baseUrl}`].join('\n\n')}\n` }
}
