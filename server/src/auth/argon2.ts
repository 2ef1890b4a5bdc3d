import { hash, hashSync, verifySync } from '@node-rs/argon2'

/** RFC 9106 with the parameters of the OWASP cheat sheet: argon2id (2), 19 MiB, two passes, one lane. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const CURRENT = '$argon2id$v=19$m=19456,t=2,p=1$'

/** Hashes a password in programs that serve no requests. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS)
}

/** Hashes a password synchronously, which blocks for some milliseconds. The service calls it in threads (passwords.ts). */
export function hashHere(password: string): string {
  return hashSync(password, PARAMETERS)
}

export function verifyHere({ passwordHash, password }: { passwordHash: string; password: string }): boolean {
  return verifySync(passwordHash, password)
}

/** Whether a hash was made with weaker parameters than today's. */
export function isOutdated(passwordHash: string): boolean {
  return !passwordHash.startsWith(CURRENT)
}
