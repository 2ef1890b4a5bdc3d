import type { SecretBox } from '@earshot/drivers'
import { customAlphabet } from 'nanoid'

/** Consonants only: they form no words and are not mistaken for digits (RFC 8628 §6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const HALF = 4
const SHAPE = new RegExp(`^[${LETTERS}]{${2 * HALF}}$`)

const randomLetters = customAlphabet(LETTERS, 2 * HALF)

/** Creates a code for a person to type, such as BCDF-GHJK. */
export function makeUserCode(): string {
  return formatted(randomLetters())
}

/** Normalizes a typed code: case, blanks and dashes do not matter. Returns null if it cannot be one. */
export function readUserCode(typed: string): string | null {
  const letters = typed.replaceAll(/[\s\p{Pd}]/gu, '').toUpperCase()
  return SHAPE.test(letters) ? formatted(letters) : null
}

/** The MAC by which the database finds a user code. */
export function userCodeMac(secretBox: SecretBox, userCode: string): Buffer {
  return secretBox.mac('user-code', userCode)
}

function formatted(letters: string): string {
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`
}
