import { generateKeyPairSync } from 'node:crypto'

const RAW_KEY_BYTES = 32

export interface SigningKeyPair {
  /** PKCS #8 in base64. */
  privateKey: string
  /** As shown: `whpk_` and the key in base64 (Standard Webhooks, "Signature scheme"). */
  publicKey: string
}

/** Makes a new Ed25519 key pair (RFC 8032). */
export function makeSigningKeyPair(): SigningKeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  // The key is the end of its DER form (RFC 8410 §4).
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-RAW_KEY_BYTES)
  return {
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    publicKey: `whpk_${raw.toString('base64')}`,
  }
}
