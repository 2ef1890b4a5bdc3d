import { domainToASCII } from 'node:url'
import type { Transporter } from 'nodemailer'
import { type MailDriver, MailFailure, type MailMessage } from './mail.ts'
import { isMailAddress, type Mailbox } from './mailbox.ts'
import { toMailFailure } from './smtp-failure.ts'
import type { SmtpServer } from './smtp-url.ts'

interface SmtpTimeouts {
  /** From the DNS lookup to the end of STARTTLS. */
  connectMs: number
  /** For silence: no byte from the server. */
  silenceMs: number
  /** For a whole message. */
  messageMs: number
}

const TIMEOUTS: SmtpTimeouts = { connectMs: 15_000, silenceMs: 60_000, messageMs: 120_000 }

export interface SmtpMailOptions {
  server: SmtpServer
  from: Mailbox
  timeouts?: SmtpTimeouts
}

/** Creates a driver for an SMTP server, with one connection per message: mails are rare, and servers close idle connections. */
export function createSmtpMail({ server, from, timeouts = TIMEOUTS }: SmtpMailOptions): MailDriver {
  const closing = new AbortController()
  let transport: Promise<Transporter> | undefined
  return {
    async deliver(message) {
      // One mailbox, never a list: the parts of a message that other people choose cannot add a recipient or a header.
      if (!isMailAddress(message.to)) throw new MailFailure("The recipient's address is not a valid e-mail address.", { isFinal: true })
      transport ??= openTransport(server, timeouts)
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeouts.messageMs)])
      await (await transport).sendMail({ ...compose(message, from), signal }).catch((error) => {
        throw toMailFailure(error)
      })
      return 'sent'
    },
    async close() {
      closing.abort()
    },
  }
}

/** Loads the library with the first message, so that start-up does not wait for it. */
async function openTransport({ host, port, tls, verifyCertificate, login }: SmtpServer, timeouts: SmtpTimeouts) {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    tls: { rejectUnauthorized: verifyCertificate },
    // A server that does not ask for the login must not get the mail without it.
    ...(login && { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.connectMs,
    socketTimeout: timeouts.silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Composes the message (RFC 5322), the same for each attempt, so that mail programs show a mail sent twice only once. */
function compose({ id, to, subject, text, createdAt, unsubscribeUrl }: MailMessage, from: Mailbox) {
  return {
    from,
    to: { name: '', address: to },
    envelope: { from: from.address, to },
    subject,
    text,
    date: createdAt,
    messageId: `<${id}@${domainToASCII(from.address.split('@')[1] ?? '')}>`,
    // RFC 3834 §5: out-of-office programs do not reply.
    headers: { 'Auto-Submitted': 'auto-generated', ...(unsubscribeUrl !== null && unsubscribeHeaders(unsubscribeUrl)) },
  }
}

/** RFC 2369 §3.2; and RFC 8058 §3.1, by which mail programs end a subscription with one click. That takes https. */
function unsubscribeHeaders(url: string): Record<string, string> {
  const oneClick = url.startsWith('https:') ? { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {}
  return { 'List-Unsubscribe': `<${url}>`, ...oneClick }
}
