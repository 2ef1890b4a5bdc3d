import type { NewLink } from '@earshot/db'
import { type SecretBox, sealMailSecret } from '@earshot/drivers'
import { hashToken, makeLinkToken } from './token-values.ts'

/** Creates a link to send by mail. The database stores its hash, and the sealed token until the mail is sent. */
export function makeLink(box: SecretBox, template: 'verify-email' | 'password-reset'): NewLink {
  const token = makeLinkToken()
  return { linkHash: hashToken(token), sealed: sealMailSecret(box, template, { token }) }
}
