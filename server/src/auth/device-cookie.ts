import { randomBytes, timingSafeEqual } from 'node:crypto'
import { durations } from '@earshot/contracts'
import type { SecretBox } from '@earshot/drivers'
import { parseCookie, stringifySetCookie } from 'cookie'
import { isSecure } from './session-engine.ts'

const PURPOSE = 'device-cookie'
const ID_BYTES = 12
const LIFETIME_SECONDS = durations.deviceCookieDays * 86_400
/** How many accounts a browser is known to; those that signed in last. */
const MAX_ACCOUNTS = 5
const ENTRY = /^(?<id>[\w-]{16})\.(?<end>\d{10})\.(?<mac>[\w-]{43})$/

/** The account that a browser is known to. */
interface KnownAccount {
  email: string
  /** A device cookie ends with the password that it was issued for. Null where there is no account. */
  passwordHash: string | null
}

/**
 * The device cookie of a request: proof that somebody has signed in to an account in this browser, so that wrong passwords
 * from elsewhere do not lock the account here (OWASP, Slow Down Online Guessing Attacks with Device Cookies). It proves no
 * more than that: signing in takes the password all the same.
 */
export interface DeviceCookie {
  /** Returns the id under which tries from this browser are counted, or null where the account does not know it. */
  idFor(account: KnownAccount): string | null
  /** Issues the cookie after somebody has signed in, with the accounts that the browser is known to already. */
  issue(account: KnownAccount): void
}

interface RequestCookies {
  /** The Cookie header. */
  cookies: string | undefined
  /** Takes the value of a Set-Cookie header. */
  setCookie: (cookie: string) => void
}

export type ReadDeviceCookie = (request: RequestCookies) => DeviceCookie

/** Nothing is stored: an entry is a random id, its end and a MAC over these and the account. */
export function createDeviceCookies(box: SecretBox, baseUrl: string): ReadDeviceCookie {
  const secure = isSecure(baseUrl)
  const name = secure ? '__Host-earshot_device' : 'earshot_device'
  const macOf = (id: string, end: string, { email, passwordHash }: KnownAccount) =>
    box.mac(PURPOSE, JSON.stringify([id, end, email.toLowerCase(), passwordHash]))

  function idIn(entry: string, account: KnownAccount): string | null {
    const { id = '', end = '', mac = '' } = ENTRY.exec(entry)?.groups ?? {}
    const isOurs = timingSafeEqual(macOf(id, end, account), Buffer.from(mac, 'base64url'))
    return isOurs && Number(end) * 1000 > Date.now() ? id : null
  }

  function makeEntry(account: KnownAccount): string {
    const id = randomBytes(ID_BYTES).toString('base64url')
    const end = String(Math.floor(Date.now() / 1000) + LIFETIME_SECONDS)
    return [id, end, macOf(id, end, account).toString('base64url')].join('.')
  }

  return ({ cookies, setCookie }) => {
    const entries = (parseCookie(cookies ?? '')[name] ?? '')
      .split('~')
      .filter((entry) => ENTRY.test(entry))
      .slice(0, MAX_ACCOUNTS)
    return {
      idFor: (account) => entries.map((entry) => idIn(entry, account)).find((id) => id !== null) ?? null,
      issue(account) {
        const others = entries.filter((entry) => idIn(entry, account) === null)
        const value = [makeEntry(account), ...others].slice(0, MAX_ACCOUNTS).join('~')
        // Our own pages alone send what it is for, so no other site needs to bring it along.
        setCookie(stringifySetCookie({ name, value, path: '/', maxAge: LIFETIME_SECONDS, httpOnly: true, sameSite: 'strict', secure }))
      },
    }
  }
}
