import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { customAlphabet } from 'nanoid'
import { v7 } from 'uuid'

/** Personal access tokens; OAuth2 access tokens; refresh tokens of OAuth2 and of log-ins; secrets of OAuth2 clients. */
export type TokenPrefix = 'svc_' | 'sva_' | 'svr_' | 'svs_'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_CHARACTERS = 40
const CHECKSUM_CHARACTERS = 6
const SHAPE = /^sv[cars]_[0-9A-Za-z]{46}$/
const PUBLIC_KEY_CHARACTERS = 24
const LINK_TOKEN_CHARACTERS = 43
const CODE_CHARACTERS = 43
const CLIENT_ID_CHARACTERS = 24

const randomBase62 = customAlphabet(BASE62)

/** What looks like a credential, a JWT included, and must never stand in an address. */
export const LOOKS_LIKE_TOKEN = /^(?:sv[cars]_|eyJ[\w-]*\.[\w-]+\.)/

/** A token: its prefix, 40 random base62 characters, 6 of CRC32, so that scanners can tell a real one. */
export function makeToken(prefix: TokenPrefix = 'svc_'): { token: string; hash: Buffer; hint: string } {
  const random = prefix + randomBase62(RANDOM_CHARACTERS)
  const token = random + checksum(random)
  return { token, hash: hashToken(token), hint: token.slice(-4) }
}

/** Whether shape and checksum are right. What fails here was never ours. */
export function isWellFormedToken(token: string, prefix: TokenPrefix): boolean {
  return (
    token.startsWith(prefix) && SHAPE.test(token) && checksum(token.slice(0, -CHECKSUM_CHARACTERS)) === token.slice(-CHECKSUM_CHARACTERS)
  )
}

/** Only hashes are stored; a random value of 238 bits needs no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

export function makePublicKey(): string {
  return `pk_${randomBase62(PUBLIC_KEY_CHARACTERS)}`
}

export function makeRevokeToken(): string {
  return `rvk_${randomBase62(LINK_TOKEN_CHARACTERS)}`
}

export function makeInvitationToken(): string {
  return `inv_${randomBase62(LINK_TOKEN_CHARACTERS)}`
}

/** Of a link that confirms an address or lets somebody choose a password. */
export function makeLinkToken(): string {
  return `lnk_${randomBase62(LINK_TOKEN_CHARACTERS)}`
}

/** A code of OAuth2, which the client exchanges for tokens. */
export function makeCode(): string {
  return randomBase62(CODE_CHARACTERS)
}

/** A name that an OAuth2 client goes by. */
export function makeClientId(): string {
  return `oc_${randomBase62(CLIENT_ID_CHARACTERS)}`
}

/** An id that no record has, shaped like those of the database. */
export function makeId(): string {
  return v7()
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM_CHARACTERS; place += 1) {
    digits = BASE62.charAt(rest % BASE62.length) + digits
    rest = Math.floor(rest / BASE62.length)
  }
  return digits
}
