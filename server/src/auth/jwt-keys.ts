import { durations } from '@earshot/contracts'
import { addFirstJwtKey, listJwtKeys, type NewJwtKey, rotateJwtKey as rotate, type Tx, toTimestamp } from '@earshot/db'
import type { SecretBox } from '@earshot/drivers'
import {
  type CryptoKey,
  calculateJwkThumbprint,
  createLocalJWKSet,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK_OKP_Private,
  type JWK_OKP_Public,
  type JWTVerifyGetKey,
} from 'jose'

/** The rules of the tokens that the keys sign. */
export const JWT_RULES = {
  algorithm: 'EdDSA',
  lifetimeSeconds: durations.accessJwtMinutes * 60,
  /** The tolerated difference between the clocks of replicas and clients. */
  toleranceSeconds: 30,
} as const

const PURPOSE = 'jwt-key'
/** Every replica reloads the keys after this time, so a new key is in use everywhere within it. */
const MAX_AGE_MS = 60_000
/** Tokens with unknown keys reload the keys at most this often, so that a flood of them is not a flood of queries. */
const MIN_AGE_MS = 1_000
/** How long an old key stays: its last tokens expire by then, with a minute for reloads and one for requests in flight. */
const OVERLAP_SECONDS = JWT_RULES.lifetimeSeconds + JWT_RULES.toleranceSeconds + 120

interface SigningKey {
  id: string
  privateKey: CryptoKey
}

/** The keys of the database, cached for a minute. */
export interface JwtKeys {
  /** Returns the key that signs. Throws `SecretKeyError` when it was sealed with another secret key. */
  signing(): Promise<SigningKey>
  /** Finds the public key that a token's header names. Reloads the keys for an unknown one. */
  publicKeyOf: JWTVerifyGetKey
}

interface KeySet {
  signing: () => Promise<SigningKey>
  publicKeyOf: JWTVerifyGetKey
}

export function createJwtKeys(tx: Tx, secretBox: SecretBox): JwtKeys {
  let loadedAtMs = Number.NEGATIVE_INFINITY
  let loading: Promise<KeySet> | undefined
  /** Concurrent callers share one load. */
  const noOlderThan = (maxAgeMs: number): Promise<KeySet> => {
    if (loading && performance.now() - loadedAtMs <= maxAgeMs) return loading
    const current = loadKeys(tx, secretBox)
    loading = current
    loadedAtMs = performance.now()
    // The next caller retries a failed load.
    current.catch(() => {
      if (loading === current) loading = undefined
    })
    return current
  }
  return {
    signing: async () => (await noOlderThan(MAX_AGE_MS)).signing(),
    async publicKeyOf(header, token) {
      try {
        const keys = await noOlderThan(MAX_AGE_MS)
        return await keys.publicKeyOf(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        // Another replica may sign with a newer key.
        const keys = await noOlderThan(MIN_AGE_MS)
        return keys.publicKeyOf(header, token)
      }
    },
  }
}

/** Creates a new signing key. New processes use it at once, all others within a minute. */
export async function rotateJwtKey(
  tx: Tx,
  secretBox: SecretBox,
): Promise<{ id: string; retired_id: string | null; retires_at: string | null }> {
  const key = await makeKey(secretBox)
  const { retired_id, retires_at } = await rotate(tx, key, OVERLAP_SECONDS)
  return { id: key.id, retired_id, retires_at: toTimestamp(retires_at) }
}

/** Loads the keys, and creates the first one if there is none. Replicas that start together end up with the same key. */
async function loadKeys(tx: Tx, secretBox: SecretBox): Promise<KeySet> {
  const rows = await listJwtKeys(tx)
  const current = rows.find(({ retires_at }) => retires_at === null)
  if (!current) {
    await addFirstJwtKey(tx, await makeKey(secretBox))
    return loadKeys(tx, secretBox)
  }
  return {
    signing: async () => {
      // Sealed by `makeKey`.
      const jwk = JSON.parse(secretBox.open(PURPOSE, current.sealed_private, current.id)) as JWK_OKP_Private & { kty: 'OKP' }
      return { id: current.id, privateKey: await importJWK(jwk, JWT_RULES.algorithm) }
    },
    // Written by `makeKey`.
    publicKeyOf: createLocalJWKSet({ keys: rows.map(({ public_key }) => public_key as unknown as JWK_OKP_Public) }),
  }
}

async function makeKey(secretBox: SecretBox): Promise<NewJwtKey> {
  const { publicKey, privateKey } = await generateKeyPair(JWT_RULES.algorithm, { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const id = await calculateJwkThumbprint(publicJwk)
  return {
    id,
    publicKey: JSON.stringify({ ...publicJwk, kid: id, alg: JWT_RULES.algorithm, use: 'sig' }),
    // The id as context binds the sealed key to its row.
    sealedPrivate: secretBox.seal(PURPOSE, JSON.stringify(await exportJWK(privateKey)), id),
  }
}
