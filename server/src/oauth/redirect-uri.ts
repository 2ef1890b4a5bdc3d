const MAX_CHARACTERS = 2_048
/** Characters of a redirect URI: no blanks, quotes or backslashes, which URL parsers interpret differently. */
const WRITTEN = /^[a-z][a-z0-9.+-]*:[!$&'()*+,./0-9:;=?@A-Z[\]_a-z~%-]+$/
const HOST = /^[a-z0-9.-]+$/
const LOOPBACK_HOSTS = new Set(['127.0.0.1', '[::1]', 'localhost'])
/** A reversed domain name that the developer owns: `com.example.app:` (RFC 8252 §7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/
const LOOPBACK_PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)/
const LOCALHOST_PORT = /^(http:\/\/localhost):\d{1,5}(?=[/?]|$)/

/**
 * Whether a redirect URI may receive a code: https, http on this machine, or the private scheme of an installed
 * application, without a fragment (RFC 6749 §3.1.2) and a user name.
 */
export function isAllowedRedirectUri(uri: string): boolean {
  if (uri.length > MAX_CHARACTERS || !WRITTEN.test(uri) || !URL.canParse(uri)) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '') return false
  if (PRIVATE_SCHEME.test(protocol)) return true
  // The text must show the real host: parsers read `https:///host` and `http://127.1` as another one.
  if (!uri.startsWith(`${protocol}//${hostname}`)) return false
  return (protocol === 'https:' && HOST.test(hostname)) || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname))
}

/**
 * Whether a redirect URI is registered, by exact comparison (RFC 9700 §2.1). Only the port of a loopback address may differ
 * (RFC 8252 §7.3). `localhost` is a name, so its port must match, unless it is registered without one: installed agents publish it so.
 */
export function matchesRedirectUri(registered: readonly string[], uri: string): boolean {
  return (
    isAllowedRedirectUri(uri) &&
    registered.some((one) => withoutLoopbackPort(one) === withoutLoopbackPort(uri) || one === withoutLocalhostPort(uri))
  )
}

/** Appends parameters. The URI's own query stays unchanged (RFC 6749 §3.1.2). */
export function addParameters(uri: string, parameters: Readonly<Record<string, string>>): string {
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`
}

/** Describes the target of a redirect URI for people. */
export function describeRedirectUri(uri: string): string {
  const { protocol, host, hostname } = new URL(uri)
  if (LOOPBACK_HOSTS.has(hostname)) return 'a program on this device'
  return host === '' || !protocol.startsWith('http') ? `the application ${protocol.slice(0, -1)} on this device` : host
}

/** Returns the target for a Content-Security-Policy, which cannot contain an IPv6 address (CSP 3 §2.3.1). */
export function formTargetOf(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  return protocol.startsWith('http') && !hostname.startsWith('[') ? origin : protocol
}

function withoutLocalhostPort(uri: string): string {
  return uri.replace(LOCALHOST_PORT, '$1')
}

function withoutLoopbackPort(uri: string): string {
  return uri.replace(LOOPBACK_PORT, '$1')
}
