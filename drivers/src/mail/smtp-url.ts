const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const SUBMISSION_PORT = 587
const SUBMISSIONS_PORT = 465

/** The SMTP server that mail is sent to. */
export interface SmtpServer {
  host: string
  port: number
  /** TLS from the first byte; STARTTLS required; STARTTLS if the server offers it; no TLS. */
  tls: 'implicit' | 'required' | 'offered' | 'off'
  verifyCertificate: boolean
  login: { user: string; password: string } | null
}

/**
 * Reads `smtp://user:password@host:port` (port 587 by default) or `smtps://…` (465). Mail carries links that open accounts, so
 * STARTTLS is required, except for a server on this machine: there it is used if offered, and the certificate, rarely issued
 * for localhost, is not verified. `?tls=off` is for a server without TLS in a private network.
 * Throws an Error that says what is expected.
 */
export function readSmtpUrl(text: string): SmtpServer {
  const url = URL.parse(text)
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    throw new Error('must be like smtp://user:password@mail.example.com:587')
  const isLocal = LOOPBACK.test(url.hostname.toLowerCase())
  const tls = tlsOf(url, isLocal)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (tls === 'implicit' ? SUBMISSIONS_PORT : SUBMISSION_PORT),
    tls,
    verifyCertificate: !isLocal,
    login: loginOf(url),
  }
}

function tlsOf({ protocol, pathname, search, hash }: URL, isLocal: boolean): SmtpServer['tls'] {
  const isBare = ['', '/'].includes(pathname) && hash === ''
  if (isBare && search === '' && protocol === 'smtps:') return 'implicit'
  if (isBare && search === '') return isLocal ? 'offered' : 'required'
  if (isBare && search === '?tls=off' && protocol === 'smtp:') return 'off'
  throw new Error('must end after its port, or with ?tls=off after smtp://')
}

function loginOf({ username, password }: URL): SmtpServer['login'] {
  if (username === '' && password === '') return null
  if (username === '' || password === '') throw new Error('must have both a user and a password, or neither')
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    throw new Error('must have %25 for each % of user and password')
  }
}
