import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { JWT_RULES, type JwtKeys } from './jwt-keys.ts'
import { makeId } from './token-values.ts'

/** RFC 9068 §2.1: no other JWT passes for an access token, should there ever be others. */
const TYPE = 'at+jwt'

/** What an access token says. */
interface AccessClaims {
  userId: string
  /** Of the log-in: the database knows its hash, and judges it with every request. */
  secret: string
}

/** What came of reading one. `expiresAt` is its own end, as PostgreSQL writes instants. */
type ReadJwt = { secret: string; expiresAt: string } | { code: 'invalid_token' | 'token_expired' }

/** The access tokens of log-ins: JWTs of 15 minutes, for this service alone. */
export interface AccessJwts {
  /** A function that signs: whatever can be in the way of it is found out before a refresh token is used up. */
  signer(): Promise<(claims: AccessClaims) => Promise<string>>
  /** Verifies one. That its log-in goes on is another question, and the database's. */
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
          // The key never decides how it is used (RFC 8725 §3.1): neither `none` nor a MAC with the public key.
          algorithms: [algorithm],
          typ: TYPE,
          issuer: baseUrl,
          audience,
          // One without an end would be good for ever.
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
