import { importJWK, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import type { TestService } from './test-service.ts'

export interface ServiceKey {
  kid: string
  publicJwk: JWK
  privateJwk: JWK
}

/** Reads the key that a service signs with from its database. */
export async function signingKeyOf({ database, secretBox }: TestService): Promise<ServiceKey> {
  const [row] = await database.run<{ id: string; public_key: JWK; sealed_private: Buffer }>(
    'select id, public_key, sealed_private from jwt_keys where retires_at is null',
    [],
  )
  if (!row) throw new Error('There is no key that signs')
  return { kid: row.id, publicJwk: row.public_key, privateJwk: JSON.parse(secretBox.open('jwt-key', row.sealed_private, row.id)) }
}

/** Signs any header and claims with any key. */
export async function sign(key: JWK | Uint8Array, header: JWTHeaderParameters, claims: JWTPayload): Promise<string> {
  const imported = key instanceof Uint8Array ? key : await importJWK(key, header.alg)
  return new SignJWT(claims).setProtectedHeader(header).sign(imported)
}
