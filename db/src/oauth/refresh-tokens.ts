import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { credentials } from '../tables/credentials.ts'

/** The exchange of a refresh token for its successor. */
interface RotationQuestion {
  hash: Buffer
  /** The kind of the credential: a login by password, or the authorization of an OAuth client. */
  kind: 'jwt' | 'oauth2'
  clientId: string | null
  /** Narrower scopes for the access token; null = the scopes of the credential. */
  scopes: readonly string[] | null
  nextHash: Buffer
  nextExpiresAt: string
  /** Null where access tokens are not stored. */
  accessHash: Buffer | null
  accessExpiresAt: string | null
  /** How long a second use is refused without ending the family, while the successor is unused. */
  leewaySeconds: number
}

/** The result of an exchange; db/functions/oauth/rotate_refresh_token.sql says what the outcomes mean. */
export type Rotation =
  | { outcome: 'rotated'; credential_id: string; credential_hash: Buffer | null; user_id: string; scopes: string[] }
  | { outcome: 'unknown' | 'expired' | 'invalid_scope' | 'reused' | 'raced' }

const rotate = statement<RotationQuestion, Rotation>(
  (p) => sql`
  select r.*, c.hash as credential_hash
    from rotate_refresh_token(
           ${p.hash}, ${p.kind}, ${p.clientId}, ${p.scopes}::text[],
           ${p.nextHash}, ${p.nextExpiresAt}::timestamptz,
           ${p.accessHash}, ${p.accessExpiresAt}::timestamptz,
           ${p.leewaySeconds}
         ) r
    left join ${credentials} c on c.id = r.credential_id`,
)

/**
 * Exchanges a refresh token in one atomic step: of any number of callers with the same token exactly one gets the next. It
 * must be committed whatever the outcome, because `reused` has ended the family.
 */
export async function rotateRefreshToken(tx: Tx, question: RotationQuestion): Promise<Rotation> {
  return onlyOne(await rotate(tx, question))
}
