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
/** No valid name has an empty label (RFC 1035 §2.3.1), yet other programs may read the rest as an address. */
const EMPTY_LABEL = /^\.|\.\./

type WebhookUrlCode = 'invalid_url' | 'https_required' | 'credentials_in_url' | 'invalid_port' | 'blocked_address' | 'own_address'

interface WebhookUrlRefusal {
  code: WebhookUrlCode
  /** A sentence for the person who registers the endpoint. */
  detail: string
}

export type WebhookUrlCheck = { ok: true; url: string } | ({ ok: false } & WebhookUrlRefusal)

/** Resolves a name to all its addresses; rejects when it does not resolve. */
export type ResolveName = (hostname: string) => Promise<readonly { address: string; family: number }[]>

interface WebhookUrlRules {
  rules: AddressRules
  allowInsecure: boolean
  ownAddresses: OwnAddresses
  /** The system's resolver by default. */
  resolve?: ResolveName
}

/** The system's resolver: hosts file, then DNS. `localhost` and all names under it are this machine, whatever both say (RFC 6761 §6.3). */
export const resolveName: ResolveName = (hostname) =>
  LOCALHOST.test(hostname) ? Promise.resolve(LOCALHOST_ADDRESSES) : lookup(hostname, { all: true })

/**
 * Checks whether an endpoint may be registered at `url`, and returns the URL in canonical form. A name is resolved, and one
 * blocked address refuses it. A name that does not resolve within 3 s is accepted, because each attempt checks it again.
 */
export async function checkWebhookUrl(
  url: string,
  { rules, allowInsecure, ownAddresses, resolve }: WebhookUrlRules,
): Promise<WebhookUrlCheck> {
  if (!URL.canParse(url)) return { ok: false, code: 'invalid_url', detail: 'Enter a complete URL, such as https://example.com/hooks.' }
  const parsed = new URL(url)
  const refusal = checkUrlForm(parsed, allowInsecure)
  if (refusal) return { ok: false, ...refusal }

  const { host, port } = hostAndPort(parsed)
  const addresses = familyOf(host) === null ? await resolveWithin(RESOLVE_TIMEOUT_MS, host, resolve ?? resolveName) : [host]
  if (ownAddresses.includes({ host, port, addresses })) {
    return { ok: false, code: 'own_address', detail: 'This URL is the address of this service.' }
  }
  if (!addresses.every((address) => rules.isAllowed(address))) {
    return {
      ok: false,
      code: 'blocked_address',
      detail: 'Webhooks cannot be sent to private, local or reserved addresses.',
    }
  }
  return { ok: true, url: parsed.href }
}

/** Checks the URL itself, before any name is resolved; returns null if it is allowed. */
export function checkUrlForm(url: URL, allowInsecure: boolean): WebhookUrlRefusal | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { code: 'invalid_url', detail: 'The URL must start with https://.' }
  if (url.protocol === 'http:' && !allowInsecure) return { code: 'https_required', detail: 'The URL must start with https://.' }
  if (url.username !== '' || url.password !== '') {
    return { code: 'credentials_in_url', detail: 'The URL must not contain a user name or password. Verify the signature instead.' }
  }
  if (EMPTY_LABEL.test(url.hostname)) return { code: 'invalid_url', detail: 'The host name has an empty part between its dots.' }
  if (url.port === '0') return { code: 'invalid_port', detail: 'Port 0 is not a valid port.' }
  return null
}

/** Returns the host without brackets, and the port or its default. */
export function hostAndPort(url: URL): { host: string; port: number } {
  const defaultPort = url.protocol === 'https:' ? 443 : 80
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? defaultPort : Number(url.port) }
}

async function resolveWithin(timeoutMs: number, host: string, resolve: ResolveName): Promise<string[]> {
  const lookup = resolve(host).catch(() => [])
  const resolved = await settleWithin(timeoutMs, lookup, [])
  return resolved.map(({ address }) => address)
}
