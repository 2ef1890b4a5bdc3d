import { randomUUID } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'
import { createDatabaseMail, createSmtpMail, type MailDriver, MailFailure, readMailbox, type SmtpServer } from '@earshot/drivers'
import { describe, expect, test } from 'vitest'
import { measureLateness } from '../support/lateness.ts'
import { type MailServerOptions, startMailServer } from '../support/mail-server.ts'

const FROM = readMailbox('Earshot für alle <noreply@feedback.example>')
const IMPATIENT = { connectMs: 500, silenceMs: 300, messageMs: 1_000 }
const TEXT = `Grüße, 世界 👋

.
..
.dots at the start of lines
${'a very long line '.repeat(200)}
https://feedback.example/accounts/verify-email/?token=${'x'.repeat(120)}=end
`

const message = (fields: Partial<Parameters<MailDriver['deliver']>[0]> = {}) => ({
  id: randomUUID(),
  to: 'ada@example.com',
  subject: 'Grüße von Ada, 世界 👋',
  text: TEXT,
  createdAt: new Date('2026-11-20T09:30:00Z'),
  unsubscribeUrl: null,
  ...fields,
})

/** Each kind of driver with its outcome for an accepted message. */
const kinds: [string, 'sent' | 'kept', () => Promise<{ driver: MailDriver; received: () => string[] | null } & AsyncDisposable>][] = [
  ['SMTP', 'sent', openSmtp],
  ['the database', 'kept', async () => ({ driver: createDatabaseMail(), received: () => null, [Symbol.asyncDispose]: async () => {} })],
]

describe.each(kinds)('every driver: %s', (_name, outcome, open) => {
  test('accepts a message and reports the outcome', async () => {
    await using kind = await open()
    expect(await kind.driver.deliver(message())).toBe(outcome)
    await kind.driver.close()
  })

  test('sends many at once, each once', async () => {
    await using kind = await open()
    const people = Array.from({ length: 20 }, (_, index) => `ada+${index}@example.com`)
    const outcomes = await Promise.all(people.map((to) => kind.driver.deliver(message({ to }))))
    expect(new Set(outcomes)).toEqual(new Set([outcome]))
    expect(kind.received()?.sort() ?? null).toEqual(kind.received() && people.sort())
    await kind.driver.close()
  })
})

describe('a message by SMTP', () => {
  test('arrives with envelope, headers and every character of its body', async () => {
    await using server = await startMailServer()
    const sent = message()
    await createSmtpMail({ server: server.server, from: FROM }).deliver(sent)
    const [mail] = server.received
    expect(mail).toMatchObject({
      envelope: { from: 'noreply@feedback.example', to: ['ada@example.com'] },
      from: { name: 'Earshot für alle', address: 'noreply@feedback.example' },
      to: [{ name: '', address: 'ada@example.com' }],
      subject: sent.subject,
      messageId: `<${sent.id}@feedback.example>`,
      date: '2026-11-20T09:30:00.000Z',
    })
    expect(mail?.text).toBe(TEXT)
    expect(mail?.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
    const lines = String(mail?.bytes).split('\r\n')
    // RFC 5321 §4.5.3.1.6, RFC 5322 §2.1.1: and pure ASCII, so no server need know 8BITMIME.
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998)
    expect(String(mail?.bytes)).toMatch(/^[\t\r\n -~]*$/)
  })

  test.each([
    ['https://feedback.example/stop?token=a.b', 'List-Unsubscribe=One-Click'],
    // RFC 8058 §3.1: one click takes https.
    ['http://localhost:8000/stop?token=a.b', undefined],
  ])('can be ended at %s', async (unsubscribeUrl, oneClick) => {
    await using server = await startMailServer()
    await createSmtpMail({ server: server.server, from: FROM }).deliver(message({ unsubscribeUrl }))
    const headerOf = (name: string) => server.received[0]?.headers.find(({ key }) => key === name)?.value
    expect([headerOf('list-unsubscribe'), headerOf('list-unsubscribe-post')]).toEqual([`<${unsubscribeUrl}>`, oneClick])
  })

  test('is byte for byte the same when it is sent again', async () => {
    await using server = await startMailServer()
    const driver = createSmtpMail({ server: server.server, from: FROM })
    const sent = message()
    await driver.deliver(sent)
    await driver.deliver(sent)
    const [first, second] = server.received
    expect(second?.bytes).toEqual(first?.bytes)
  })

  test.each([
    { to: 'ada+invoices@example.com', utf8: false },
    { to: "o'neill.ADA_1@sub.example.co.uk", utf8: false },
    // The host's name has a spelling in ASCII, which every server knows; the person's has none.
    { to: 'ada@bücher.example', utf8: false },
    { to: 'ädä@bücher.example', utf8: true },
  ])('reaches $to, with SMTPUTF8: $utf8', async ({ to, utf8 }) => {
    await using server = await startMailServer()
    await createSmtpMail({ server: server.server, from: FROM }).deliver(message({ to }))
    expect(server.received).toMatchObject([{ utf8, envelope: { to: [to] } }])
  })

  test('takes no header, recipient or body from user input', async () => {
    const evil = 'Ada\r\nBcc: eve@example.com\r\nContent-Type: text/html\r\n\r\n<b>evil</b>'
    await using server = await startMailServer()
    const driver = createSmtpMail({ server: server.server, from: FROM })
    await driver.deliver(message({ subject: evil }))
    const [mail] = server.received
    expect(mail?.envelope.to).toEqual(['ada@example.com'])
    expect(mail?.headers.map(({ key }) => key).sort()).toEqual(
      ['auto-submitted', 'content-transfer-encoding', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'].sort(),
    )
    expect(mail?.headers.find(({ key }) => key === 'content-type')?.value).toBe('text/plain; charset=utf-8')
    expect(mail?.text).toBe(TEXT)
    for (const to of [
      evil,
      'ada@example.com\r\nRCPT TO:<eve@example.com>',
      'ada@example.com, eve@example.com',
      'Ada <ada@example.com>',
      '',
    ])
      await expect(driver.deliver(message({ to }))).rejects.toMatchObject({ name: 'MailFailure', isFinal: true })
    expect(server.received).toHaveLength(1)
  })

  test('is sent with the login, or not at all', async () => {
    const login = { user: 'postman', password: 'p@ss wörd' }
    const onAuth: MailServerOptions['onAuth'] = ({ username, password }, _session, done) =>
      done(null, username === login.user && password === login.password ? { user: 'postman' } : {})
    const options = { authOptional: false, allowInsecureAuth: true, onAuth }
    await using asking = await startMailServer(options)
    await createSmtpMail({ server: { ...asking.server, login }, from: FROM }).deliver(message())
    expect(asking.received).toMatchObject([{ user: 'postman' }])
    const wrong = createSmtpMail({ server: { ...asking.server, login: { ...login, password: 'wrong' } }, from: FROM })
    expect(await failureOf(wrong)).toMatchObject({ message: 'The SMTP server refused the login (535).', isFinal: false, reply: null })
    await using deaf = await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
    const unasked = createSmtpMail({ server: { ...deaf.server, login }, from: FROM })
    expect(await failureOf(unasked)).toMatchObject({ message: expect.stringContaining('refused the login'), isFinal: false })
    expect(deaf.received).toEqual([])
  })
})

describe('a message that cannot be sent', () => {
  test.each([
    {
      what: 'an unknown recipient',
      at: 'RCPT',
      code: 550,
      text: '5.1.1 <ada@example.com> unknown',
      isFinal: true,
      reason: 'refused the recipient (550 5.1.1)',
    },
    {
      what: 'greylisting',
      at: 'RCPT',
      code: 450,
      text: '4.2.0 <ada@example.com> greylisted',
      isFinal: false,
      reason: 'refused the recipient (450 4.2.0)',
    },
    { what: 'a sender that is not allowed', at: 'MAIL', code: 553, text: 'not yours', isFinal: false, reason: 'refused the sender (553)' },
    {
      what: 'a message taken for spam',
      at: 'DATA',
      code: 554,
      text: '5.7.1 spam: https://a.example/?token=x',
      isFinal: true,
      reason: 'refused the message (554 5.7.1)',
    },
    { what: 'a full mailbox', at: 'DATA', code: 452, text: '4.2.2 full', isFinal: false, reason: 'refused the message (452 4.2.2)' },
    { what: 'a server that is shutting down', at: 'RCPT', code: 421, text: 'bye', isFinal: false, reason: 'closed the connection (421)' },
  ] as const)('because of $what ($at $code), fails as final: $isFinal', async ({ at, code, text, isFinal, reason }) => {
    await using server = await startMailServer({ refuse: { at, code, text } })
    const failure = await failureOf(createSmtpMail({ server: server.server, from: FROM }))
    expect(failure).toMatchObject({ message: `The SMTP server ${reason}.`, isFinal })
    // The words of a refusal are for the operator; those about a message may cite its link.
    const isOfAddress = at !== 'DATA' && code !== 421
    expect(failure.reply).toEqual(isOfAddress ? expect.stringContaining(text) : null)
    expect(failure.cause).toBeUndefined()
    expect(server.received).toEqual([])
  })

  test('because nobody listens, reports the reason', async () => {
    const gone = await startMailServer()
    await gone[Symbol.asyncDispose]()
    expect(await failureOf(createSmtpMail({ server: gone.server, from: FROM }))).toMatchObject({
      message: 'The SMTP server cannot be reached (ECONNREFUSED).',
      isFinal: false,
    })
  })

  test.each([
    ['from the start', ''],
    ['after the greeting', '220 played ESMTP\r\n'],
    ['in the middle of its greeting', '220-play'],
  ])('because the server is silent %s, fails in time and the connection is closed', async (_what, greeting) => {
    await using silent = await startSilentServer(greeting)
    using late = measureLateness()
    const startedAt = performance.now()
    const failure = await failureOf(createSmtpMail({ server: silent.server, from: FROM, timeouts: IMPATIENT }))
    expect(failure).toMatchObject({ message: 'The SMTP server did not answer in time.', isFinal: false })
    expect(performance.now() - startedAt).toBeLessThan(3_000 + 1_000 * late.seconds())
    await expect.poll(silent.connections).toBe(0)
  })

  test('because the server drips, fails in time too', async () => {
    await using dripping = await startSilentServer('220 played ESMTP\r\n', { dripMs: 50 })
    const failure = await failureOf(createSmtpMail({ server: dripping.server, from: FROM, timeouts: IMPATIENT }))
    expect(failure).toMatchObject({ message: 'The SMTP server did not accept the message in time.', isFinal: false })
    await expect.poll(dripping.connections).toBe(0)
  })

  test('because the driver was closed, ends at once', async () => {
    await using silent = await startSilentServer('220 played ESMTP\r\n')
    const driver = createSmtpMail({ server: silent.server, from: FROM })
    const failing = failureOf(driver)
    await expect.poll(silent.connections).toBe(1)
    await driver.close()
    expect(await failing).toMatchObject({ isFinal: false })
    await expect.poll(silent.connections).toBe(0)
  })
})

async function failureOf(driver: MailDriver): Promise<MailFailure> {
  const failure = await driver.deliver(message()).catch((error: unknown) => error)
  if (!(failure instanceof MailFailure)) throw new Error(`It did not fail as it should: ${failure}`)
  expect(failure.message).not.toMatch(/ada|example|token/)
  return failure
}

async function openSmtp() {
  const server = await startMailServer()
  return {
    driver: createSmtpMail({ server: server.server, from: FROM }),
    received: () => server.received.flatMap(({ envelope }) => envelope.to),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

/** Takes connections, greets, and then says nothing more, or no line that ends. */
async function startSilentServer(greeting: string, { dripMs }: { dripMs?: number } = {}) {
  const server = createServer((socket) => {
    socket.on('error', () => {}).resume()
    socket.write(greeting)
    const timer = dripMs === undefined ? undefined : setInterval(() => socket.write('2'), dripMs)
    socket.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const tls: SmtpServer['tls'] = 'offered'
  return {
    server: { host: '127.0.0.1', port, tls, verifyCertificate: true, login: null },
    connections: () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
