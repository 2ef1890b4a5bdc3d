import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const VERSION = 1
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES
const LABEL = 'earshot/secret-box/v1'

/** A value sealed with another secret key: no sealed value of this database can be opened. */
export class SecretKeyError extends Error {}

export interface SecretBox {
  /** Identifies the master key without revealing it; part of every sealed value. */
  keyId: string
  /**
   * Encrypts text for one purpose (`'webhook-secret'`). `context`, such as the row's id, binds it to its row: a value copied
   * to another row does not open.
   */
  seal: (purpose: string, plaintext: string, context?: string) => Buffer
  /** Decrypts. Throws SecretKeyError for another master key, and an Error for another purpose or context and for altered bytes. */
  open: (purpose: string, sealed: Uint8Array, context?: string) => string
  /** Computes HMAC-SHA256 with a key derived for the purpose. */
  mac: (purpose: string, message: string) => Buffer
}

/**
 * Creates a box that seals with AES-256-GCM and a key per purpose (HKDF-SHA256, RFC 5869). A sealed value consists of version,
 * key id, nonce, ciphertext and tag.
 */
export function createSecretBox(masterKey: Uint8Array): SecretBox {
  if (masterKey.length !== KEY_BYTES) throw new Error(`The secret key must be ${KEY_BYTES} bytes, not ${masterKey.length}.`)
  // Key objects are cached: from bytes, each HMAC would create one, at five times the cost.
  const keys = new Map<string, KeyObject>()
  const keyId = derive(masterKey, 'key-id', KEY_ID_BYTES)
  const header = Buffer.concat([Buffer.of(VERSION), keyId])

  function keyFor(purpose: string): KeyObject {
    const known = keys.get(purpose)
    if (known) return known
    const key = createSecretKey(derive(masterKey, `purpose/${purpose}`, KEY_BYTES))
    keys.set(purpose, key)
    return key
  }

  return {
    keyId: keyId.toString('hex'),
    seal(purpose, plaintext, context = '') {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, keyFor(purpose), nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(authenticated(header, purpose, context))
      return Buffer.concat([header, nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open(purpose, sealed, context = '') {
      const { nonce, ciphertext, tag } = takeApart(Buffer.from(sealed), keyId)
      const decipher = createDecipheriv(CIPHER, keyFor(purpose), nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(authenticated(header, purpose, context)).setAuthTag(tag)
      const plaintext = decipher.update(ciphertext)
      try {
        decipher.final()
      } catch (cause) {
        throw new Error(`A sealed ${purpose} was altered, or moved from its place.`, { cause })
      }
      return plaintext.toString('utf8')
    },
    mac: (purpose, message) =>
      createHmac('sha256', keyFor(`mac/${purpose}`))
        .update(message)
        .digest(),
  }
}

function derive(masterKey: Uint8Array, info: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `${LABEL}/${info}`, bytes))
}

/** Joins purpose and context as JSON, so that no two pairs authenticate the same bytes. */
function authenticated(header: Buffer, purpose: string, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(JSON.stringify([purpose, context]))])
}

function takeApart(sealed: Buffer, keyId: Buffer) {
  if (sealed.length < HEADER_BYTES + NONCE_BYTES + TAG_BYTES || sealed[0] !== VERSION) throw new Error('This is not a sealed value.')
  const sealedBy = sealed.subarray(1, HEADER_BYTES)
  if (!sealedBy.equals(keyId)) {
    throw new SecretKeyError(
      `A value was sealed with another secret key (id ${sealedBy.toString('hex')}, this one is ${keyId.toString('hex')}).`,
    )
  }
  return {
    nonce: sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES),
    ciphertext: sealed.subarray(HEADER_BYTES + NONCE_BYTES, -TAG_BYTES),
    tag: sealed.subarray(-TAG_BYTES),
  }
}
