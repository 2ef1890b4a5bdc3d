import type { NodemailerError } from 'nodemailer'
import { MailFailure } from './mail.ts'

const MAX_ANSWER_CHARACTERS = 500
/** A reply's code and its enhanced code (RFC 3463): all of the answer that names nobody. */
const STATUS = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})\b)?/

/** What was refused, by the command that was answered. */
const REFUSED: Record<string, string> = {
  'MAIL FROM': 'the sender',
  'RCPT TO': 'the recipient',
  DATA: 'the message',
}

/** Nodemailer's codes for what went wrong without an answer that says it. */
const CAUSES: Record<string, string> = {
  EDNS: 'The name of the SMTP server cannot be resolved',
  ECONNECTION: 'The SMTP server closed the connection',
  ESOCKET: 'The SMTP server cannot be reached',
  ETIMEDOUT: 'The SMTP server did not answer in time',
  EABORT: 'The SMTP server did not take the message in time',
  ETLS: 'The SMTP server offers no TLS',
  EAUTH: 'The SMTP server refused the login',
}

/**
 * Only the word on this recipient or this message is final (5yz, RFC 5321 §4.2.1): everything else, the login and the sender
 * among it, is the operator's to mend, and the mail waits for it. The texts hold codes alone. What a server says of an
 * address stands in `answer`; what it says of a message is dropped, because it may cite a link.
 */
export function toMailFailure(error: NodemailerError): MailFailure {
  const { code = '', command = '', response, permanent = false } = error
  const refused = REFUSED[command]
  const isOfMessage = command === 'RCPT TO' || command === 'DATA'
  const what = refused === undefined ? (CAUSES[code] ?? 'The SMTP server could not be understood') : `The SMTP server refused ${refused}`
  const status =
    STATUS.exec(response ?? '')
      ?.slice(1)
      .filter(Boolean)
      .join(' ') || error.originalCode
  return new MailFailure(status ? `${what} (${status}).` : `${what}.`, {
    isFinal: isOfMessage && permanent,
    answer: refused === undefined || command === 'DATA' || response === undefined ? null : toLine(response),
  })
}

/** A terminal shows it: no control characters. */
function toLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_ANSWER_CHARACTERS)
}
