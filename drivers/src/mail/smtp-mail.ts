import { domainToASCII } from 'node:url'
import type { Transporter } from 'nodemailer'
import { type MailDriver, MailFailure, type MailMessage } from './mail.ts'
import { isMailAddress, type Mailbox } from './mailbox.ts'
import { toMailFailure } from './smtp-failure.ts'
import type { SmtpServer } from './smtp-url.ts'

interface SmtpTimeouts {
  /** From the look-up of the name to the end of STARTTLS. */
  connectMs: number
  /** Without a byte from the server. */
  silenceMs: number
  /** For the whole of a message. */
  messageMs: number
}

const PATIENCE: SmtpTimeouts = { connectMs: 15_000, silenceMs: 60_000, messageMs: 120_000 }

export interface SmtpMailOptions {
  server: SmtpServer
  from: Mailbox
  timeouts?: SmtpTimeouts
}

/** Hands mail to an SMTP server, in a connection of its own for each message: they are rare, and an idle one would be closed anyway. */
export function createSmtpMail({ server, from, timeouts = PATIENCE }: SmtpMailOptions): MailDriver {
  const closing = new AbortController()
  let transport: Promise<Transporter> | undefined
  return {
    async deliver(message) {
      // One mailbox, never a list of them: the parts of a message that others choose cannot add a recipient or a header.
      if (!isMailAddress(message.to)) throw new MailFailure("The recipient's address is none.", { isFinal: true })
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

/** The library is loaded with the first message: a start need not wait for it. */
async function openTransport({ host, port, tls, verifyCertificate, login }: SmtpServer, timeouts: SmtpTimeouts) {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    tls: { rejectUnauthorized: verifyCertificate },
    // A server that stops asking for the login must not get the mail without it.
    ...(login && { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.connectMs,
    socketTimeout: timeouts.silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** RFC 5322; the same for each attempt, so that a mail that was sent twice is shown once. */
function compose({ id, to, subject, text, createdAt }: MailMessage, from: Mailbox) {
  return {
    from,
    to: { name: '', address: to },
    envelope: { from: from.address, to },
    subject,
    text,
    date: createdAt,
    messageId: `<${id}@${domainToASCII(from.address.split('@')[1] ?? '')}>`,
    // RFC 3834 §5: nobody's out-of-office note is to answer.
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
