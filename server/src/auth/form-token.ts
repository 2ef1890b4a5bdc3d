import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '@earshot/contracts'
import type { SecretBox } from '@earshot/drivers'

const PURPOSE = 'form-token'
const SHAPE = /^([0-9a-z]{6,11})\.([A-Za-z0-9_-]{43})$/
const MIN_FILL_MS = 2_000
const MAX_AGE_MS = 24 * 3_600_000

/** Creates a signed token with the time when a form was opened. Nothing is stored. */
export function makeFormToken(secretBox: SecretBox, nowMs: number): string {
  const openedAt = nowMs.toString(36)
  return `${openedAt}.${secretBox.mac(PURPOSE, openedAt).toString('base64url')}`
}

/** Requires a form token that is at least two seconds and at most a day old. Throws `validation_error`. */
export function requireFormToken(secretBox: SecretBox, token: string, nowMs: number): void {
  const [, openedAt, signature] = SHAPE.exec(token) ?? []
  if (!openedAt || !signature || !timingSafeEqual(secretBox.mac(PURPOSE, openedAt), Buffer.from(signature, 'base64url')))
    throw wrong('is not valid')
  const ageMs = nowMs - Number.parseInt(openedAt, 36)
  if (ageMs < MIN_FILL_MS) throw wrong('was used too soon after the form was opened; wait a moment and send again')
  if (ageMs > MAX_AGE_MS) throw wrong('is older than a day; open the form again')
}

function wrong(detail: string): ApiError {
  return new ApiError('validation_error', { errors: [{ field: 'form_token', code: 'invalid_value', detail }] })
}
