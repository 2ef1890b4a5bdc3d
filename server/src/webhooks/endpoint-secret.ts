import { randomBytes } from 'node:crypto'
import type { SealedSecret } from '@earshot/db'
import type { HandlerServices } from '../services.ts'
import { makeSigningKeyPair } from './signing-key.ts'

const SECRET_BYTES = 32

/** Makes a signing secret in the form of Standard Webhooks. */
export function makeEndpointSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Seals a signing secret, and a new key pair, for their endpoint alone. */
export function sealEndpointSecret({ secretBox }: Pick<HandlerServices, 'secretBox'>, webhookId: string, secret: string): SealedSecret {
  const seal = (purpose: string, text: string) => secretBox.seal(purpose, text, webhookId).toString('base64')
  const { privateKey, publicKey } = makeSigningKeyPair()
  return {
    ...{ secret: seal('webhook-secret', secret), secret_hint: secret.slice(-4) },
    ...{ signing_key: seal('webhook-signing-key', privateKey), public_key: publicKey },
  }
}
