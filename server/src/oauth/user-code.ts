import type { SecretBox } from '@earshot/drivers'
import { customAlphabet } from 'nanoid'

/** Consonants: no word is made by chance, and no letter is taken for a digit (RFC 8628 §6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const HALF = 4
const SHAPE = new RegExp(`^[${LETTERS}]{${2 * HALF}}$`)

const randomLetters = customAlphabet(LETTERS, 2 * HALF)

/** What a person types on the page, such as BCDF-GHJK. */
export function makeUserCode(): string {
  return formatted(randomLetters())
}

/** As it is shown, from whatever was typed: case, blanks and dashes do not matter. Null if it can be none. */
export function readUserCode(typed: string): string | null {
  const letters = typed.replaceAll(/[\s\p{Pd}]/gu, '').toUpperCase()
  return SHAPE.test(letters) ? formatted(letters) : null
}

/** What the database knows it by. */
export function userCodeMac(secretBox: SecretBox, userCode: string): Buffer {
  return secretBox.mac('user-code', userCode)
}

function formatted(letters: string): string {
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`
}
