import { randomBytes } from 'node:crypto'
import type { NewLink } from '@earshot/db'
import { type SecretBox, sealMail } from '@earshot/drivers'
import { hashToken } from './tokens.ts'

const TOKEN_BYTES = 32

/** To whom a link goes. */
interface Recipient {
  to: string
  name: string
}

/** Hexadecimal: in an address it is never mistaken for a credential. */
export function makeLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex')
}

/** A link with a token of its own. */
export function makeLink(box: SecretBox, template: 'verify-email' | 'password-reset', recipient: Recipient): NewLink {
  const token = makeLinkToken()
  return { linkHash: hashToken(token), sealed: sealLink(box, template, { ...recipient, token }) }
}

/** The part of a mail that no table holds in clear. */
export function sealLink(
  box: SecretBox,
  template: 'verify-email' | 'password-reset',
  { to, name, token }: Recipient & { token: string },
): Buffer | null {
  return sealMail(box, { to, template, fields: { name }, secret: { token } }).sealed
}
