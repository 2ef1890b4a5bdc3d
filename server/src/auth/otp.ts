import type { SecondFactorUse } from '@earshot/db'
import type { SecretBox } from '@earshot/drivers'
import { customAlphabet } from 'nanoid'
import { Secret, TOTP } from 'otpauth'

const PURPOSE = 'second-factor'
const ISSUER = 'Earshot'
const SECRET_BYTES = 20
/** Tolerates clocks that are off by 30 seconds either way (RFC 6238 §5.2). */
const WINDOW = 1
const RECOVERY_CODES = 10
const RECOVERY_HALF = 5
/** Without characters that look alike. */
const RECOVERY_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const APP_CODE = /^\d{6}$/
const RECOVERY_CODE = new RegExp(`^[${RECOVERY_ALPHABET}]{${2 * RECOVERY_HALF}}$`)

const randomHalf = customAlphabet(RECOVERY_ALPHABET, RECOVERY_HALF)

/** A user's secret as the database stores it. */
export interface SealedFactor {
  userId: string
  sealed: Buffer
}

/** Creates a secret for an authenticator app: in base32, as a URL for a QR code, and sealed for its user. */
export function makeSecondFactor(box: SecretBox, { userId, email }: { userId: string; email: string }) {
  const secret = new Secret({ size: SECRET_BYTES })
  const otpauthUrl = new TOTP({ issuer: ISSUER, label: email, secret }).toString()
  return { secret: secret.base32, otpauthUrl, sealed: box.seal(PURPOSE, secret.base32, userId) }
}

/** Returns an enrolled secret again, for a person who has not confirmed it yet. */
export function describeSecondFactor(box: SecretBox, { userId, sealed }: SealedFactor, email: string) {
  const secret = box.open(PURPOSE, sealed, userId)
  return { secret, otpauthUrl: new TOTP({ issuer: ISSUER, label: email, secret }).toString() }
}

/** Whether a typed code has the shape of a recovery code. */
export function isRecoveryCode(typed: string): boolean {
  return RECOVERY_CODE.test(normalized(typed))
}

/** Reads a code of the app or a recovery code, to be used up. Returns null for an invalid code. */
export function readOtp(box: SecretBox, { userId, sealed }: SealedFactor, typed: string): SecondFactorUse | null {
  const code = normalized(typed)
  if (RECOVERY_CODE.test(code)) return { step: null, recoveryHash: recoveryHash(box, userId, code) }
  if (!APP_CODE.test(code)) return null
  const app = new TOTP({ secret: box.open(PURPOSE, sealed, userId) })
  const timestamp = Date.now()
  const delta = app.validate({ token: code, window: WINDOW, timestamp })
  return delta === null ? null : { step: app.counter({ timestamp }) + delta, recoveryHash: null }
}

/** Creates ten codes of 49 bits, and the hashes that the database stores. */
export function makeRecoveryCodes(box: SecretBox, userId: string): { codes: string[]; hashes: Buffer[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () => `${randomHalf()}-${randomHalf()}`)
  return { codes, hashes: codes.map((code) => recoveryHash(box, userId, code.replace('-', ''))) }
}

function normalized(typed: string): string {
  return typed.replace(/[\s-]/g, '').toLowerCase()
}

function recoveryHash(box: SecretBox, userId: string, code: string): Buffer {
  return box.mac('recovery-code', `${userId} ${code}`)
}
