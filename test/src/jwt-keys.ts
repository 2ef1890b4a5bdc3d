import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createLogIn } from '@earshot/db'
import { importJWK, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import type { TestService } from './test-service.ts'

const BASE_URL = 'http://localhost:8000'
const DAY_MS = 86_400_000

export interface ServiceKey {
  kid: string
  publicJwk: JWK
  privateJwk: JWK
}

/** The key that a service signs with, opened past the service. */
export async function signingKeyOf({ database, secretBox }: TestService): Promise<ServiceKey> {
  const [row] = await database.run<{ id: string; public_key: JWK; sealed_private: Buffer }>(
    'select id, public_key, sealed_private from jwt_keys where retires_at is null',
    [],
  )
  if (!row) throw new Error('There is no key that signs')
  return { kid: row.id, publicJwk: row.public_key, privateJwk: JSON.parse(secretBox.open('jwt-key', row.sealed_private, row.id)) }
}

/** Signs whatever it is told, with whatever it is given. */
export async function sign(key: JWK | Uint8Array, header: JWTHeaderParameters, claims: JWTPayload): Promise<string> {
  const imported = key instanceof Uint8Array ? key : await importJWK(key, header.alg)
  return new SignJWT(claims).setProtectedHeader(header).sign(imported)
}

/** An access token of a log-in of its own, without a password. */
export async function makeAccessJwt(service: TestService, userId: string, claims: JWTPayload = {}): Promise<string> {
  const [row] = await service.database.run<{ id: string }>('select uuidv7() as id', [])
  const secret = randomBytes(32).toString('base64url')
  await createLogIn(service.database, {
    ...{ id: row?.id ?? '', hash: createHash('sha256').update(secret).digest(), userId, refreshHash: randomBytes(32) },
    ...{ expiresAt: new Date(Date.now() + DAY_MS).toISOString(), ip: '127.0.0.1', userAgent: null },
  })
  const { kid, privateJwk } = await signingKeyOf(service)
  const now = Math.floor(Date.now() / 1000)
  const place = { iss: BASE_URL, aud: `${BASE_URL}/api/`, iat: now, exp: now + 900 }
  return sign(privateJwk, { alg: 'EdDSA', typ: 'at+jwt', kid }, { ...place, sub: userId, sid: secret, jti: randomUUID(), ...claims })
}
