import type { NewLink } from '@earshot/db'
import { type SecretBox, sealMailSecret } from '@earshot/drivers'
import { hashToken, makeLinkToken } from './token-values.ts'

/** Creates a link to send by mail. The database stores its hash, and the sealed token until the mail is sent. */
export function makeLink(box: SecretBox, template: 'verify-email' | 'password-reset'): NewLink {
  const token = makeLinkToken()
  return { linkHash: hashToken(token), sealed: sealMailSecret(box, template, { token }) }
}

/** Creates a link for either mail. The transaction that queues the mail decides which one is sent. */
export function makeSignUpLink(box: SecretBox): { linkHash: Buffer; sealedVerify: Buffer; sealedReset: Buffer } {
  const token = makeLinkToken()
  return {
    linkHash: hashToken(token),
    sealedVerify: sealMailSecret(box, 'verify-email', { token }),
    sealedReset: sealMailSecret(box, 'password-reset', { token }),
  }
}
