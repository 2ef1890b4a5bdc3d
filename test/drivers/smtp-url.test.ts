import { readMailbox, readSmtpUrl } from '@earshot/drivers'
import { describe, expect, test } from 'vitest'

describe('an SMTP server’s address', () => {
  test.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, tls: 'required', verifyCertificate: true, login: null }],
    ['smtp://mail.example.com:2525/', { port: 2525, tls: 'required' }],
    ['smtps://mail.example.com', { port: 465, tls: 'implicit', verifyCertificate: true }],
    ['smtp://ada%40example.com:p%40ss%25w%C3%B6rd@mail.example.com', { login: { user: 'ada@example.com', password: 'p@ss%wörd' } }],
    ['smtp://localhost:25', { host: 'localhost', port: 25, tls: 'offered', verifyCertificate: false }],
    ['smtp://LOCALHOST', { tls: 'offered' }],
    ['smtp://127.0.0.53', { tls: 'offered' }],
    ['smtp://[::1]:25', { host: '::1', tls: 'offered', verifyCertificate: false }],
    ['smtps://localhost', { tls: 'implicit', verifyCertificate: false }],
    // The address is not this machine’s.
    ['smtp://localhost.example.com', { tls: 'required', verifyCertificate: true }],
    ['smtp://127.0.0.1.example.com', { tls: 'required', verifyCertificate: true }],
    ['smtp://mailpit:1025?tls=off', { host: 'mailpit', port: 1025, tls: 'off' }],
  ])('%s', (url, expected) => {
    expect(readSmtpUrl(url)).toMatchObject(expected)
  })

  test.each([
    ['', 'must be like'],
    ['mail.example.com', 'must be like'],
    ['mail.example.com:25', 'must be like'],
    ['http://mail.example.com', 'must be like'],
    ['smtp://', 'must be like'],
    ['smtp://mail.example.com:65536', 'must be like'],
    ['smtp://ada@mail.example.com', 'must have both'],
    ['smtp://:hush@mail.example.com', 'must have both'],
    ['smtp://ada:100%@mail.example.com', 'must have %25'],
    ['smtp://mail.example.com/inbox', 'must end after'],
    ['smtp://mail.example.com?tls=no', 'must end after'],
    ['smtps://mail.example.com?tls=off', 'must end after'],
    ['smtp://mail.example.com#x', 'must end after'],
  ])('%s is refused', (url, reason) => {
    expect(() => readSmtpUrl(url)).toThrow(reason)
  })
})

describe('the sender of mail', () => {
  test.each([
    ['noreply@example.com', { name: '', address: 'noreply@example.com' }],
    ['Acme <noreply@example.com>', { name: 'Acme', address: 'noreply@example.com' }],
    ['"Acme, Feedback" <noreply@example.com>', { name: 'Acme, Feedback', address: 'noreply@example.com' }],
    ['<noreply@example.com>', { name: '', address: 'noreply@example.com' }],
  ])('%s', (text, expected) => {
    expect(readMailbox(text)).toEqual(expected)
  })

  test.each([
    '',
    'Acme',
    'a@b@c',
    'a@example.com, b@example.com',
    'Acme <a@example.com> b',
    'Acme\r\nBcc: x <a@example.com>',
    'a b@example.com',
  ])('%j is refused', (text) => {
    expect(() => readMailbox(text)).toThrow('must be an address, or like')
  })
})
