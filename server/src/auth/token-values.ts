import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { customAlphabet } from 'nanoid'
import { v7 } from 'uuid'

/** Personal access tokens; OAuth2 access tokens; refresh tokens of OAuth2 and of logins; secrets of OAuth2 clients. */
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

/** Matches our tokens and JWTs, which must never be part of a URL. */
export const LOOKS_LIKE_TOKEN = /^(?:sv[cars]_|eyJ[\w-]*\.[\w-]+\.)/

/** Creates a token: prefix, 40 random base62 characters and 6 of a CRC32, by which secret scanners recognize real ones. */
export function makeToken(prefix: TokenPrefix = 'svc_'): { token: string; hash: Buffer; hint: string } {
  const random = prefix + randomBase62(RANDOM_CHARACTERS)
  const token = random + checksum(random)
  return { token, hash: hashToken(token), hint: token.slice(-4) }
}

/** Whether shape and checksum are valid. A token that fails was not issued here. */
export function isWellFormedToken(token: string, prefix: TokenPrefix): boolean {
  return (
    token.startsWith(prefix) && SHAPE.test(token) && checksum(token.slice(0, -CHECKSUM_CHARACTERS)) === token.slice(-CHECKSUM_CHARACTERS)
  )
}

/** Hashes a token for storage. A random value of 238 bits needs no slow hash. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

export function makePublicKey(): string {
  return `pk_${randomBase62(PUBLIC_KEY_CHARACTERS)}`
}

export function makeRevokeToken(): string {
  return `rvk_${randomBase62(LINK_TOKEN_CHARACTERS)}`
}

export function makeUploadToken(): string {
  return `upl_${randomBase62(LINK_TOKEN_CHARACTERS)}`
}

export function makeInvitationToken(): string {
  return `inv_${randomBase62(LINK_TOKEN_CHARACTERS)}`
}

/** Creates the token of a link that confirms an address or resets a password. */
export function makeLinkToken(): string {
  return `lnk_${randomBase62(LINK_TOKEN_CHARACTERS)}`
}

/** Creates an OAuth2 code, which the client exchanges for tokens. */
export function makeCode(): string {
  return randomBase62(CODE_CHARACTERS)
}

/** Creates the id of an OAuth2 client. */
export function makeClientId(): string {
  return `oc_${randomBase62(CLIENT_ID_CHARACTERS)}`
}

/** Creates a new id, shaped like those of the database. */
export function makeId(): string {
  return v7()
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let digit = 0; digit < CHECKSUM_CHARACTERS; digit += 1) {
    digits = BASE62.charAt(rest % BASE62.length) + digits
    rest = Math.floor(rest / BASE62.length)
  }
  return digits
}
