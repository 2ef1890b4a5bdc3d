import { lookup } from 'node:dns/promises'
import { settleWithin } from '../settle-within.ts'
import { type AddressRules, familyOf } from './network-address.ts'
import type { OwnAddresses } from './own-addresses.ts'

const RESOLVE_TIMEOUT_MS = 3_000
const LOCALHOST = /^(?:.+\.)?localhost\.?$/i
const LOCALHOST_ADDRESSES = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
/** No name has one (RFC 1035 §2.3.1), yet what stands around it may look like an address to somebody else. */
const EMPTY_LABEL = /^\.|\.\./

type WebhookUrlCode = 'invalid_url' | 'https_required' | 'credentials_in_url' | 'invalid_port' | 'blocked_address' | 'own_address'

interface WebhookUrlRefusal {
  code: WebhookUrlCode
  /** A sentence for the one who registers the endpoint. */
  detail: string
}

export type WebhookUrlCheck = { ok: true; url: string } | ({ ok: false } & WebhookUrlRefusal)

/** All addresses of a name, or a rejection when it does not resolve. */
export type ResolveName = (hostname: string) => Promise<readonly { address: string; family: number }[]>

interface WebhookUrlRules {
  rules: AddressRules
  allowInsecure: boolean
  ownAddresses: OwnAddresses
  /** The system's resolver when left out. */
  resolve?: ResolveName
}

/** The system's resolver: hosts file, then DNS. `localhost` and all names under it are this machine, whatever those say (RFC 6761 §6.3). */
export const resolveName: ResolveName = (hostname) =>
  LOCALHOST.test(hostname) ? Promise.resolve(LOCALHOST_ADDRESSES) : lookup(hostname, { all: true })

/**
 * Whether an endpoint may be registered at `url`; `url` comes back in its canonical form. A name is resolved, and one
 * blocked address refuses it. A name that does not resolve within 3 s is accepted: each attempt judges it again.
 */
export async function checkWebhookUrl(
  url: string,
  { rules, allowInsecure, ownAddresses, resolve }: WebhookUrlRules,
): Promise<WebhookUrlCheck> {
  if (!URL.canParse(url)) return { ok: false, code: 'invalid_url', detail: 'This is not a complete URL such as https://example.com/hooks.' }
  const parsed = new URL(url)
  const refusal = checkUrlForm(parsed, allowInsecure)
  if (refusal) return { ok: false, ...refusal }

  const { host, port } = hostAndPort(parsed)
  const addresses = familyOf(host) === null ? await resolveWithin(RESOLVE_TIMEOUT_MS, host, resolve ?? resolveName) : [host]
  if (ownAddresses.includes({ host, port, addresses })) {
    return { ok: false, code: 'own_address', detail: 'This is the address of this service itself.' }
  }
  if (!addresses.every((address) => rules.isAllowed(address))) {
    return {
      ok: false,
      code: 'blocked_address',
      detail: 'This host is a private, local or reserved address, which webhooks may not be sent to.',
    }
  }
  return { ok: true, url: parsed.href }
}

/** What can be refused by the URL alone, before any name is resolved; null when there is nothing. */
export function checkUrlForm(url: URL, allowInsecure: boolean): WebhookUrlRefusal | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { code: 'invalid_url', detail: 'Webhooks are sent to https:// addresses.' }
  if (url.protocol === 'http:' && !allowInsecure) return { code: 'https_required', detail: 'The URL must start with https://.' }
  if (url.username !== '' || url.password !== '') {
    return { code: 'credentials_in_url', detail: 'The URL must not contain a user name or password; verify the signature instead.' }
  }
  if (EMPTY_LABEL.test(url.hostname)) return { code: 'invalid_url', detail: 'The host has an empty part between its dots.' }
  if (url.port === '0') return { code: 'invalid_port', detail: 'Port 0 cannot receive anything.' }
  return null
}

/** The host without brackets and the port with its default. */
export function hostAndPort(url: URL): { host: string; port: number } {
  const defaultPort = url.protocol === 'https:' ? 443 : 80
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? defaultPort : Number(url.port) }
}

async function resolveWithin(timeoutMs: number, host: string, resolve: ResolveName): Promise<string[]> {
  const lookedUp = resolve(host).catch(() => [])
  const answers = await settleWithin(timeoutMs, lookedUp, [])
  return answers.map(({ address }) => address)
}
