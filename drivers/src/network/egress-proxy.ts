const EXPECTED = 'must be like http://user:password@proxy.example.com:3128, with nothing after the port, and %40 for @ in the password'
/** With its port, which `URL` drops when it is 80, and with nothing behind it. */
const PROXY_URL = /^http:\/\/[^/?#]*:\d{1,5}\/?$/i

/** The HTTP proxy through which webhooks leave the network. */
export interface EgressProxy {
  /** `http://proxy.example.com:3128` */
  origin: string
  /** The value of Proxy-Authorization; null for a proxy that asks for none. */
  authorization: string | null
}

/** Reads `http://user:password@host:port`. Throws an Error that says what is expected, without what was given. */
export function readProxyUrl(text: string): EgressProxy {
  const url = PROXY_URL.test(text) ? URL.parse(text) : null
  if (url === null || url.hostname === '' || url.port === '0') throw new Error(EXPECTED)
  return { origin: url.origin, authorization: basicAuthorization(url) }
}

/** RFC 7617 §2: a user name has no colon; the password may have some, and either may be empty. */
function basicAuthorization({ username, password }: URL): string | null {
  if (username === '' && password === '') return null
  const [user, secret] = [decoded(username), decoded(password)]
  if (user.includes(':')) throw new Error('must have no colon in its user name')
  return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Error('must have %25 for each % of user and password')
  }
}
