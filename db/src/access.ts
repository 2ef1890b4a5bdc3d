import type { CredentialKind, Plan, Role, Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { batched } from './sql/batch.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'

/** A rate limit, already scaled. */
export interface Limit {
  max: number
  windowSeconds: number
}

export interface AccessQuery {
  /** SHA-256 of the credential's value, or of an access token that it handed out. */
  hash: Buffer
  isAccessToken: boolean
  team: string | null
  project: string | null
  /** Origin of the calling page, when it is not our own. */
  origin: string | null
  /** Null when the request was counted before and continues. */
  limit: Limit | null
  /** Counts requests whose credential is unknown or expired. */
  unknownSubject: string
  unknownLimit: Limit
}

/** The caller of a request; db/functions/access/access.sql says how to read it. */
export interface AccessRow {
  credential_id: string | null
  credential_kind: CredentialKind
  expires_at: string | null
  expired: boolean | null
  user_id: string
  scopes: Scope[]
  team_id: string | null
  role: Role
  plan: Plan
  /** Where the request names no team: whether one of the caller's teams has API access. */
  any_api_access: boolean | null
  project_id: string | null
  origin_allowed: boolean | null
  used: number | null
  reset_seconds: number
}

const selectAccesses = statement<{ requests: string; highestMax: number }, AccessRow & { number: number; subject: string | null }>(
  (p) => sql`
  select *
    from access(${p.requests}::jsonb, ${p.highestMax}::int)`,
)

/**
 * Authorizes a caller and counts the request, in one round trip. Requests that come together share it: one batch at a time is
 * the cheapest, and none waits for a lock that is held for longer than another batch.
 */
export const readAccess = batched<AccessQuery, AccessRow>(
  async (tx, queries) => {
    const highestMax = Math.max(...queries.flatMap(({ limit, unknownLimit }) => [limit?.max ?? 0, unknownLimit.max]))
    const rows = await selectAccesses(tx, { requests: JSON.stringify(queries.map(accessRequest)), highestMax })
    // The counter says what was used with the last request of its subject: each earlier one used one less.
    const later = new Map<string, number>()
    for (const [index, query] of [...queries.entries()].reverse()) {
      const row = rows[index]
      if (row?.number !== index + 1) throw new Error('A row of access() is not that of its request')
      if (row.subject === null || row.used === null) continue
      const turn = later.get(row.subject) ?? 0
      later.set(row.subject, turn + 1)
      const { max } = (row.credential_id === null ? undefined : query.limit) ?? query.unknownLimit
      row.used = row.used - turn > max ? null : row.used - turn
    }
    return rows
  },
  { maxBatches: 1 },
)

/** A request as access() takes it. */
function accessRequest({ hash, isAccessToken, team, project, origin, limit, unknownSubject, unknownLimit }: AccessQuery, index: number) {
  return {
    number: index + 1,
    hash: hash.toString('hex'),
    is_access_token: isAccessToken,
    ...{ team, project, origin },
    max: limit?.max,
    window_seconds: limit?.windowSeconds,
    unknown_subject: unknownSubject,
    unknown_window_seconds: unknownLimit.windowSeconds,
  }
}

export interface PublicAccessQuery {
  publicKey: string | null
  /** The counter of the requests; null when this one was counted before. */
  subject: string | null
  /** The address that repeated violations of limits block. */
  address: string
  limit: Limit
  /** How many requests of the address to the project a day allows; absent where no day bounds them. */
  dayMax?: number
}

export interface PublicAccessRow {
  team_id: string | null
  project_id: string | null
  public_count: number
  rated_count: number
  rating_sum: number
  used: number | null
  reset_seconds: number
  /** How long the address is blocked; null if it is not. */
  blocked_seconds: number | null
}

const selectPublicAccess = statement<{ requests: string }, PublicAccessRow>(
  (p) => sql`
  select *
    from public_access(${p.requests}::jsonb)`,
)

/** Counts a request of the public plane and finds the project of its public key, in one round trip. */
export async function readPublicAccess(tx: Tx, query: PublicAccessQuery): Promise<PublicAccessRow> {
  return onlyOne(await readPublicAccesses(tx, [query]))
}

/** Does the same for many requests, in one round trip: a row for each, in their order. */
export function readPublicAccesses(tx: Tx, queries: readonly PublicAccessQuery[]): Promise<PublicAccessRow[]> {
  return selectPublicAccess(tx, { requests: JSON.stringify(publicAccessRequests(queries)) })
}

/** Requests as public_access() takes them, numbered in their order. */
export function publicAccessRequests(queries: readonly PublicAccessQuery[]) {
  return queries.map(({ publicKey, subject, address, limit, dayMax }, index) => ({
    number: index + 1,
    public_key: publicKey,
    subject,
    address,
    max: limit.max,
    window_seconds: limit.windowSeconds,
    day_max: dayMax,
  }))
}

const count = statement<{ subject: string } & Limit, { used: number | null; reset_seconds: number }>(
  (p) => sql`
  select used, reset_seconds
    from count_request(${p.subject}::text, ${p.max}::int, ${p.windowSeconds}::int)`,
)

/** Counts a request without a credential. `used` is null when the limit is reached. */
export async function countRequest(tx: Tx, { subject, limit }: { subject: string; limit: Limit }) {
  return onlyOne(await count(tx, { subject, ...limit }))
}
