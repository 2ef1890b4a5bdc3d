import type { NodemailerError } from 'nodemailer'
import { MailFailure } from './mail.ts'

const MAX_REPLY_CHARACTERS = 500
/** A reply's code and its enhanced code (RFC 3463), the only parts of a reply that cannot name a person. */
const STATUS = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})\b)?/

/** What the server refused, by SMTP command. */
const REFUSED: Record<string, string> = {
  'MAIL FROM': 'the sender',
  'RCPT TO': 'the recipient',
  DATA: 'the message',
}

/** Causes of failure by Nodemailer's code, where no reply names one. */
const CAUSES: Record<string, string> = {
  EDNS: 'The name of the SMTP server cannot be resolved',
  ECONNECTION: 'The SMTP server closed the connection',
  ESOCKET: 'The SMTP server cannot be reached',
  ETIMEDOUT: 'The SMTP server did not answer in time',
  EABORT: 'The SMTP server did not accept the message in time',
  ETLS: 'The SMTP server does not offer TLS',
  EAUTH: 'The SMTP server refused the login',
}

/**
 * Converts Nodemailer's error. Only a permanent refusal of this recipient or this message is final (5yz, RFC 5321 §4.2.1): the
 * operator can fix everything else, the login and the sender included, and the mail waits for that. The error's text holds
 * codes only. `reply` keeps a reply about an address; a reply about a message is dropped, because it may cite a link.
 */
export function toMailFailure(error: NodemailerError): MailFailure {
  const { code = '', command = '', response, permanent = false } = error
  const refused = REFUSED[command]
  const isOfMessage = command === 'RCPT TO' || command === 'DATA'
  const what = refused === undefined ? (CAUSES[code] ?? 'The SMTP server sent an invalid reply') : `The SMTP server refused ${refused}`
  const status =
    STATUS.exec(response ?? '')
      ?.slice(1)
      .filter(Boolean)
      .join(' ') || error.originalCode
  return new MailFailure(status ? `${what} (${status}).` : `${what}.`, {
    isFinal: isOfMessage && permanent,
    reply: refused === undefined || command === 'DATA' || response === undefined ? null : toLine(response),
  })
}

/** Removes control characters, because a terminal shows the line. */
function toLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REPLY_CHARACTERS)
}
