import { randomBytes } from 'node:crypto'
import { hash } from '@node-rs/argon2'

const MADE_BYTES = 18

/** argon2id with the parameters of the OWASP cheat sheet (19 MiB, two passes), which are the library's defaults. */
export function hashPassword(password: string): Promise<string> {
  return hash(password)
}

export function makePassword(): string {
  return randomBytes(MADE_BYTES).toString('base64url')
}
