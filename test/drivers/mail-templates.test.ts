import { randomBytes } from 'node:crypto'
import { type MailTemplate, mailData, type NotificationKind } from '@earshot/contracts'
import { createSecretBox, sealMail, unsubscribeToken, writeMail } from '@earshot/drivers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toMailLine } from '../../drivers/src/mail/mail-line.ts'
import type { NewMail } from '../../drivers/src/mail/sealed-mail.ts'

const BASE_URL = 'https://feedback.example'
const box = createSecretBox(randomBytes(32))
const to = 'ada@example.com'
const secret = { token: 'a token/with?odd&characters' }
const ENDPOINT = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01'
const QUERY = '?token=a%20token%2Fwith%3Fodd%26characters'

type AnyMail = { [Template in MailTemplate]: NewMail<Template> }[MailTemplate]

const MEMBER = { team_id: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e02', user_id: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e03' }
const withNews = (name: string) => ({ ...MEMBER, name, team: name, news: '3 new submissions', places: 'Website (2), App (1)' })
const endingOf = (kind: NotificationKind) => `/accounts/unsubscribe/?token=${unsubscribeToken(box, { kind, ...MEMBER })}`

const mails = (name: string): [AnyMail, string | null][] => [
  [{ to, template: 'verify-email', fields: { name }, secret }, `/accounts/verify-email/${QUERY}`],
  [{ to, template: 'sign-up-again', fields: { name }, secret: {} }, '/accounts/sign-in/'],
  [{ to, template: 'password-reset', fields: { name }, secret }, `/accounts/password-reset/${QUERY}`],
  [{ to, template: 'password-changed', fields: { name }, secret: {} }, '/accounts/password-reset/'],
  [{ to, template: 'invitation', fields: { team: name, inviter: name, role: 'admin' }, secret }, `/accounts/invitation/${QUERY}`],
  [{ to, template: 'webhook-disabled', fields: { name, team: name, host: name, endpoint: ENDPOINT }, secret: {} }, null],
  [{ to, template: 'pending-submissions', fields: withNews(name), secret: {} }, endingOf('pending')],
  [{ to, template: 'low-scores', fields: { ...withNews(name), threshold: '7' }, secret: {} }, endingOf('low_nps')],
  [{ to, template: 'mfa-enabled', fields: { name }, secret: {} }, '/accounts/password-reset/'],
  [{ to, template: 'mfa-disabled', fields: { name }, secret: {} }, '/accounts/password-reset/'],
  [{ to, template: 'wrong-codes', fields: { name }, secret: {} }, '/accounts/password-reset/'],
]

/** A mail has one link at most. */
const linesOf = (link: string | null) => (link === null ? [] : [BASE_URL + link])

test('every mail template is tested here', () => {
  expect(mails('Ada').map(([{ template }]) => template)).toEqual(Object.keys(mailData))
})

describe.each(mails('Ada Lovelace'))('$template', (mail, link) => {
  const stored = sealMail(box, mail)

  test('is stored without its secret in plain text, and written with it', () => {
    expect(stored.recipient).toBe(to)
    expect(JSON.stringify(stored)).not.toContain('odd')
    expect(stored.sealed?.includes('odd') ?? false).toBe(false)
    const { subject, text } = writeMail(box, BASE_URL, stored)
    expect(subject).toMatch(/^[A-Z][\w ,-]+$/)
    expect(text).toContain('Ada Lovelace')
    expect(text?.split('\n').filter((line) => line.startsWith('http'))).toEqual(linesOf(link))
    expect(text).toMatch(new RegExp(`\n\nEarshot at ${BASE_URL}\n$`))
  })

  test('keeps its subject once its secret is erased', () => {
    const { subject, text } = writeMail(box, BASE_URL, { ...stored, sealed: null })
    expect(subject).not.toBe('')
    expect(text === null).toBe(stored.sealed !== null)
  })
})

test('a secret moved to another kind of mail does not open', () => {
  const { sealed } = sealMail(box, { to, template: 'verify-email', fields: { name: 'Ada' }, secret })
  expect(() => writeMail(box, BASE_URL, { template: 'password-reset', fields: { name: 'Ada' }, sealed })).toThrow('moved from its place')
})

test('a mail of a newer version is refused, so that a newer worker can retry it', () => {
  for (const template of ['horoscope', 'constructor'])
    expect(() => writeMail(box, BASE_URL, { template, fields: {}, sealed: null })).toThrow(`does not know the mail "${template}"`)
})

describe('a name that another person chose', () => {
  test.each([
    ['Ada Lovelace', 'Ada Lovelace'],
    ['José Ångström-Müller, 李雷 👩‍💻', 'José Ångström-Müller, 李雷 👩‍💻'],
    ['AC/DC & Søn', 'AC/DC & Søn'],
    ['J.R.R. Tolkien', 'J. R. R. Tolkien'],
    ['  Ada\r\n\r\nBcc: eve@evil.example\t', 'Ada Bcc: eve@evil. example'],
    ['Ada\n\nhttps://evil.example/reset', 'Ada https: //evil. example/reset'],
    ['Ada\u2028http://2130706433/\u0000x', 'Ada http: //2130706433/ x'],
    ['www.evil.example', 'www. evil. example'],
    ['evil。example', 'evil。 example'],
    ['\u202eelpmaxe.live', 'elpmaxe. live'],
    ['\u202e\n', '—'],
    ['x'.repeat(200), `${'x'.repeat(79)}…`],
    ['👋'.repeat(200), `${'👋'.repeat(79)}…`],
  ])('%j appears in a mail as %j', (name, line) => {
    expect(toMailLine(name)).toBe(line)
  })

  test('is one short line, contains nothing that a mail program would link, and leaves the other lines unchanged', () => {
    const parts = fc.constantFrom(
      'http',
      'https',
      '://',
      '//',
      ':',
      '.',
      '/',
      '\r\n',
      '\n',
      '\u2028',
      '\u0085',
      '\t',
      '@',
      'evil',
      'www',
      '。',
      ' ',
      '\u202e',
    )
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.array(parts, { maxLength: 40 }).map((some) => some.join('')),
    )
    fc.assert(
      fc.property(name, (text) => {
        const line = toMailLine(text)
        expect(line).toMatch(/^[^\p{Cc}\u2028\u2029]{1,80}$/u)
        expect(line).not.toMatch(/:\/\/|[.。．｡][\p{L}\p{N}]/u)
        for (const [mail, link] of mails(text)) {
          const stored = sealMail(box, mail)
          const written = writeMail(box, BASE_URL, stored)
          expect(written.subject).not.toMatch(/[\p{Cc}]/u)
          expect(written.text?.split('\n').filter((own) => /https?:\/\//.test(own))).toEqual([...linesOf(link), `Earshot at ${BASE_URL}`])
        }
      }),
    )
  })
})
