import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { JWT_RULES, type JwtKeys } from './jwt-keys.ts'
import { makeId } from './token-values.ts'

/** The type of access tokens (RFC 9068 §2.1), so that no other JWT of this service can be used as one. */
const TYPE = 'at+jwt'

/** The claims of an access token. */
interface AccessClaims {
  userId: string
  /** The login's secret. The database stores its hash and checks it with every request. */
  secret: string
}

/** The result of reading a token. `expiresAt` is the token's own expiry, in PostgreSQL's format. */
type ReadJwt = { secret: string; expiresAt: string } | { code: 'invalid_token' | 'token_expired' }

/** The access tokens of password logins: JWTs of 15 minutes, for this service only. */
export interface AccessJwts {
  /** Returns a function that signs. Errors of loading the key occur here, before a refresh token is used up. */
  signer(): Promise<(claims: AccessClaims) => Promise<string>>
  /** Verifies a token's signature and claims. Whether its login still exists is checked by the database. */
  read(token: string): Promise<ReadJwt>
}

export function createAccessJwts(keys: JwtKeys, baseUrl: string): AccessJwts {
  const { algorithm, lifetimeSeconds, toleranceSeconds } = JWT_RULES
  const audience = `${baseUrl}/api/`
  return {
    async signer() {
      const { id: kid, privateKey } = await keys.signing()
      return ({ userId, secret }) =>
        new SignJWT({ sid: secret })
          .setProtectedHeader({ alg: algorithm, typ: TYPE, kid })
          .setIssuer(baseUrl)
          .setAudience(audience)
          .setSubject(userId)
          .setJti(makeId())
          .setIssuedAt()
          .setExpirationTime(`${lifetimeSeconds} s`)
          .sign(privateKey)
    },
    async read(token) {
      try {
        const { payload } = await jwtVerify(token, keys.publicKeyOf, {
          // The algorithm is fixed (RFC 8725 §3.1): neither `none`, nor a MAC with the public key.
          algorithms: [algorithm],
          typ: TYPE,
          issuer: baseUrl,
          audience,
          // Without `exp` a token would never expire.
          requiredClaims: ['sub', 'sid', 'iat', 'exp', 'jti'],
          clockTolerance: toleranceSeconds,
        })
        return readClaims(payload)
      } catch (error) {
        if (error instanceof errors.JWTExpired) return { code: 'token_expired' }
        if (error instanceof errors.JOSEError) return { code: 'invalid_token' }
        throw error
      }
    },
  }
}

function readClaims({ sid, exp }: JWTPayload): ReadJwt {
  if (typeof sid !== 'string' || exp === undefined) return { code: 'invalid_token' }
  return { secret: sid, expiresAt: new Date(exp * 1000).toISOString().replace('Z', '+00') }
}
