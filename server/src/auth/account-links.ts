import type { NewLink } from '@earshot/db'
import { type SecretBox, sealMailSecret } from '@earshot/drivers'
import { hashToken, makeLinkToken } from './token-values.ts'

/** A link that is to be sent by mail: the database keeps its hash, and its token sealed until the mail was sent. */
export function makeLink(box: SecretBox, template: 'verify-email' | 'password-reset'): NewLink {
  const token = makeLinkToken()
  return { linkHash: hashToken(token), sealed: sealMailSecret(box, template, { token }) }
}

/** The same link for either mail: which one goes is decided where it is written. */
export function makeSignUpLink(box: SecretBox): { linkHash: Buffer; sealedVerify: Buffer; sealedReset: Buffer } {
  const token = makeLinkToken()
  return {
    linkHash: hashToken(token),
    sealedVerify: sealMailSecret(box, 'verify-email', { token }),
    sealedReset: sealMailSecret(box, 'password-reset', { token }),
  }
}
