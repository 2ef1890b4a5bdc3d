import { createHmac } from 'node:crypto'
import { PASSWORD } from './password.ts'
import type { TestService } from './test-service.ts'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_SECONDS = 30

/** Returns the code that an authenticator app shows `steps` later than now (RFC 6238, RFC 4226 §5.3). */
export function codeOf(secret: string, steps = 0): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / STEP_SECONDS) + steps))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

/** Sets up a second factor for the token’s user, who has the common password, with the current code. */
export async function setUpFactor(service: TestService, token: string): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { mfa } = service.client(token).me
  const { secret } = await mfa.enroll({ password: PASSWORD })
  const { recovery_codes } = await mfa.confirm({ otp: codeOf(secret) })
  return { secret, recoveryCodes: recovery_codes }
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (character) => BASE32.indexOf(character).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
