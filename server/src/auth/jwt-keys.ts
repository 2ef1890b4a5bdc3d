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

/** What is signed with the keys, and for how long. */
export const JWT_RULES = {
  algorithm: 'EdDSA',
  lifetimeSeconds: 15 * 60,
  /** The clocks of replicas, and of whoever decides by `exp` when to refresh, may be this far apart. */
  toleranceSeconds: 30,
} as const

const PURPOSE = 'jwt-key'
/** Every replica looks for keys anew after this time: within it all sign with a new one. */
const MAX_AGE_MS = 60_000
/** A flood of tokens whose keys nobody ever had is no flood of queries: one look a second. */
const MIN_AGE_MS = 1_000
/** What a replica signs with the old key in its last minute has ended by then; another minute for what is under way. */
const OVERLAP_SECONDS = JWT_RULES.lifetimeSeconds + JWT_RULES.toleranceSeconds + 120

interface SigningKey {
  id: string
  privateKey: CryptoKey
}

/** The keys of the database, as they were at most a minute ago. */
export interface JwtKeys {
  /** The one that signs. Throws `SecretKeyError` when it was sealed with another secret key. */
  signing(): Promise<SigningKey>
  /** Finds the public key that a token's header names; for one that is not known the database is asked again. */
  publicKeyOf: JWTVerifyGetKey
}

interface KeySet {
  signing: () => Promise<SigningKey>
  publicKeyOf: JWTVerifyGetKey
}

export function createJwtKeys(tx: Tx, secretBox: SecretBox): JwtKeys {
  let loadedAtMs = Number.NEGATIVE_INFINITY
  let loading: Promise<KeySet> | undefined
  /** All who come while it loads wait for the same answer. */
  const noOlderThan = (maxAgeMs: number): Promise<KeySet> => {
    if (loading && performance.now() - loadedAtMs <= maxAgeMs) return loading
    const current = loadKeys(tx, secretBox)
    loading = current
    loadedAtMs = performance.now()
    // What failed is asked for again by whoever comes next.
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
        // Another replica may sign with a key that was made since.
        const keys = await noOlderThan(MIN_AGE_MS)
        return keys.publicKeyOf(header, token)
      }
    },
  }
}

/** A new key signs: at once in new processes, within a minute in all. */
export async function rotateJwtKey(
  tx: Tx,
  secretBox: SecretBox,
): Promise<{ id: string; retired_id: string | null; retires_at: string | null }> {
  const key = await makeKey(secretBox)
  const { retired_id, retires_at } = await rotate(tx, key, OVERLAP_SECONDS)
  return { id: key.id, retired_id, retires_at: toTimestamp(retires_at) }
}

/** Makes the first key where there is none; of replicas that do it at once all find the same. */
async function loadKeys(tx: Tx, secretBox: SecretBox): Promise<KeySet> {
  const rows = await listJwtKeys(tx)
  const current = rows.find(({ retires_at }) => retires_at === null)
  if (!current) {
    await addFirstJwtKey(tx, await makeKey(secretBox))
    return loadKeys(tx, secretBox)
  }
  return {
    signing: async () => {
      // Sealed below.
      const jwk = JSON.parse(secretBox.open(PURPOSE, current.sealed_private, current.id)) as JWK_OKP_Private & { kty: 'OKP' }
      return { id: current.id, privateKey: await importJWK(jwk, JWT_RULES.algorithm) }
    },
    // Written below.
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
    // The id binds it to its row.
    sealedPrivate: secretBox.seal(PURPOSE, JSON.stringify(await exportJWK(privateKey)), id),
  }
}
