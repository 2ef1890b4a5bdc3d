import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { credentials } from '../tables/credentials.ts'

/** The exchange of a refresh token for its successor. */
interface RotationQuestion {
  hash: Buffer
  /** Of a log-in by password, or of what an OAuth client was allowed. */
  kind: 'jwt' | 'oauth2'
  clientId: string | null
  /** Narrower ones for the access token; null = those that were given. */
  scopes: readonly string[] | null
  nextHash: Buffer
  nextExpiresAt: string
  /** Null where access tokens are not kept. */
  accessHash: Buffer | null
  accessExpiresAt: string | null
  /** How long a second use, while the successor is unused, is refused without ending the family. */
  leewaySeconds: number
}

/** db/functions/oauth/rotate_refresh_token.sql says what the outcomes mean; the fields are there for `rotated` alone. */
export type Rotation =
  | { outcome: 'rotated'; credential_id: string; credential_hash: Buffer | null; user_id: string; scopes: string[] }
  | { outcome: 'unknown' | 'expired' | 'invalid_scope' | 'reused' | 'raced' }

const { placeholder } = sql

const rotate = statement<object, Rotation>(sql`
  select r.*, c.hash as credential_hash
    from rotate_refresh_token(
           ${placeholder('hash')}, ${placeholder('kind')}, ${placeholder('clientId')}, ${placeholder('scopes')}::text[],
           ${placeholder('nextHash')}, ${placeholder('nextExpiresAt')}::timestamptz,
           ${placeholder('accessHash')}, ${placeholder('accessExpiresAt')}::timestamptz,
           ${placeholder('leewaySeconds')}
         ) r
    left join ${credentials} c on c.id = r.credential_id`)

/**
 * One atomic step: of any number of callers with the same token exactly one gets the next. It must be committed whatever
 * the outcome, for `reused` has ended the family.
 */
export async function rotateRefreshToken(tx: Tx, question: RotationQuestion): Promise<Rotation> {
  return onlyOne(await rotate(tx, { ...question }))
}
