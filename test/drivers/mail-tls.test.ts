import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createSmtpMail, MailFailure, readMailbox, type SmtpServer } from '@earshot/drivers'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailServerOptions, startMailServer } from '../support/mail-server.ts'

interface Certificate {
  key: string
  cert: string
}

let trusted: Certificate
let unknown: Certificate
let ofAnotherHost: Certificate
const systemCertificates = getCACertificates()
beforeAll(async () => {
  ;[trusted, unknown, ofAnotherHost] = await Promise.all([
    makeCertificate('127.0.0.1'),
    makeCertificate('127.0.0.1'),
    makeCertificate('192.0.2.1'),
  ])
  setDefaultCACertificates([...systemCertificates, trusted.cert, ofAnotherHost.cert])
})
afterAll(() => setDefaultCACertificates(systemCertificates))

const startTls = (certificate: Certificate): MailServerOptions => ({ disabledCommands: [], ...certificate })
/** The settings for `smtp://` to another machine, `smtp://` to this one, `?tls=off`, and `smtps://`. */
const remote: Partial<SmtpServer> = { tls: 'required', verifyCertificate: true }
const local: Partial<SmtpServer> = { tls: 'offered', verifyCertificate: false }
const off: Partial<SmtpServer> = { tls: 'off', verifyCertificate: true }
const implicit: Partial<SmtpServer> = { tls: 'implicit', verifyCertificate: true }

test.each<[string, () => MailServerOptions, Partial<SmtpServer>, boolean]>([
  ['STARTTLS with a trusted certificate', () => startTls(trusted), remote, true],
  ['TLS from the first byte', () => ({ secure: true, ...trusted }), implicit, true],
  ['STARTTLS of this machine, whoever signed its certificate', () => startTls(unknown), local, true],
  ['this machine without TLS', () => ({}), local, false],
  ['TLS switched off', () => startTls(trusted), off, false],
])('a message is sent: %s', async (_what, options, how, secure) => {
  await using server = await startMailServer(options())
  expect(await deliver({ ...server.server, ...how })).toBe('sent')
  expect(server.received).toMatchObject([{ secure }])
})

test.each<[string, () => MailServerOptions, Partial<SmtpServer>, string]>([
  ['a server that does not offer STARTTLS', () => ({}), remote, 'does not offer TLS (500'],
  ['a certificate that nobody signed', () => startTls(unknown), remote, '(DEPTH_ZERO_SELF_SIGNED_CERT)'],
  ['a certificate of another host', () => startTls(ofAnotherHost), remote, '(ERR_TLS_CERT_ALTNAME_INVALID)'],
  [
    'a certificate that nobody signed, from the first byte',
    () => ({ secure: true, ...unknown }),
    implicit,
    '(DEPTH_ZERO_SELF_SIGNED_CERT)',
  ],
  ['a plain server where TLS was expected', () => ({}), implicit, 'cannot be reached (ERR_SSL'],
])('neither message nor login is sent, and it is retried: %s', async (_what, options, how, reason) => {
  const logins: unknown[] = []
  await using server = await startMailServer({
    allowInsecureAuth: true,
    onAuth: ({ username }, _session, done) => [logins.push(username), done(null, { user: 'x' })],
    ...options(),
  })
  const failure = await deliver({ ...server.server, ...how, login: { user: 'postman', password: 'hush' } }).catch((error) => error)
  expect(failure).toBeInstanceOf(MailFailure)
  expect(failure).toMatchObject({ message: expect.stringContaining(reason), isFinal: false })
  expect([...server.received, ...logins]).toEqual([])
})

function deliver(server: SmtpServer) {
  const driver = createSmtpMail({ server, from: readMailbox('noreply@feedback.example') })
  return driver.deliver({
    id: 'an-id',
    to: 'ada@example.com',
    subject: 'Hello',
    text: 'Hello\n',
    createdAt: new Date(),
    unsubscribeUrl: null,
  })
}

/** Signed by itself. */
async function makeCertificate(ip: string): Promise<Certificate> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: ip }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }],
  })
  return { key, cert }
}
