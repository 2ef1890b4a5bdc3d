import { createPublicKey, verify } from 'node:crypto'
import type { Received } from './receiver.ts'

/** Whether an entry of `webhook-signature` is a `v1a` signature by the owner of a public key, as Standard Webhooks words it. */
export function isSignedBy(entry: string, request: Received | undefined, publicKey: string): boolean {
  const { headers = {}, body = Buffer.alloc(0) } = request ?? {}
  const [version, signature = ''] = entry.split(',')
  const x = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url')
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
  const message = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body])
  return version === 'v1a' && verify(null, message, key, Buffer.from(signature, 'base64'))
}
