import type { CredentialKind, Plan, Role, Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
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

interface AccessValues {
  hash: Buffer
  isAccessToken: boolean
  team: string | null
  project: string | null
  origin: string | null
  max: number | null
  windowSeconds: number | null
  unknownSubject: string
  unknownMax: number
  unknownWindowSeconds: number
}

const selectAccess = statement<AccessValues, AccessRow>(
  (p) => sql`
  select *
    from access(
      ${p.hash}, ${p.isAccessToken}, ${p.team}, ${p.project}, ${p.origin},
      ${p.max}, ${p.windowSeconds},
      ${p.unknownSubject}, ${p.unknownMax}, ${p.unknownWindowSeconds}
    )`,
)

const UNCOUNTED = { max: null, windowSeconds: null }

/** Authorizes a caller and counts the request, in one round trip. */
export async function readAccess(tx: Tx, { limit, unknownLimit, ...query }: AccessQuery): Promise<AccessRow> {
  return onlyOne(
    await selectAccess(tx, {
      ...query,
      ...(limit ?? UNCOUNTED),
      unknownMax: unknownLimit.max,
      unknownWindowSeconds: unknownLimit.windowSeconds,
    }),
  )
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
