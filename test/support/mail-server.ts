import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { SmtpServer } from '@earshot/drivers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

interface ReceivedMail extends Email {
  envelope: { from: string; to: string[] }
  /** The message as received, without the dots that the protocol adds. */
  bytes: Buffer
  /** Whether its addresses were announced as other than ASCII (RFC 6531). */
  utf8: boolean
  /** Whether it came over TLS. */
  secure: boolean
  user: string | undefined
}

export interface MailServer {
  /** The address for a driver: without TLS unless the server offers it. */
  server: SmtpServer
  received: ReceivedMail[]
  [Symbol.asyncDispose]: () => Promise<void>
}

export interface MailServerOptions extends SMTPServerOptions {
  port?: number
  /** Awaited before the response to a received message. */
  beforeAnswer?: () => Promise<unknown>
  /** Refuses this step with an error. */
  refuse?: { at: 'MAIL' | 'RCPT' | 'DATA'; code: number; text: string } | undefined
}

/** Starts a real SMTP server on this machine. */
export async function startMailServer({ port = 0, refuse, beforeAnswer, ...options }: MailServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const verdict = (step: string) => (refuse?.at === step ? Object.assign(new Error(refuse.text), { responseCode: refuse.code }) : null)
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    ...options,
    onMailFrom: (_address, _session, done) => done(verdict('MAIL')),
    onRcptTo: (_address, _session, done) => done(verdict('RCPT')),
    onData(stream, session, done) {
      void buffer(stream).then(async (bytes) => {
        if (refuse?.at !== 'DATA') received.push({ ...(await PostalMime.parse(bytes)), bytes, ...circumstances(session) })
        await beforeAnswer?.()
        done(verdict('DATA'))
      })
    },
  })
  smtp.on('error', () => {})
  await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', resolve))
  const address = smtp.server.address() as AddressInfo
  return {
    server: { host: '127.0.0.1', port: address.port, tls: 'offered', verifyCertificate: true, login: null },
    received,
    [Symbol.asyncDispose]: () => new Promise((resolve) => smtp.close(resolve)),
  }
}

function circumstances({ envelope, secure, user }: SMTPServerSession) {
  const { mailFrom, rcptTo } = envelope
  return {
    envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) },
    utf8: mailFrom !== false && mailFrom.args !== false && 'SMTPUTF8' in mailFrom.args,
    secure,
    user: user === undefined ? undefined : String(user),
  }
}
