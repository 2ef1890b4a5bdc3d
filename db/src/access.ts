import type { CredentialKind, Plan, Role, Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'

const { placeholder } = sql

/** A rate limit as the counters take it, already scaled. */
export interface Limit {
  max: number
  windowSeconds: number
}

export interface AccessQuery {
  /** SHA-256 of the credential's value. */
  hash: Buffer
  team: string | null
  project: string | null
  /** Origin of the page that calls, when it is not our own. */
  origin: string | null
  /** Null when the request was counted before and goes on. */
  limit: Limit | null
  /** Counts requests whose credential is unknown or expired. */
  unknownSubject: string
  unknownLimit: Limit
}

/** What the database says of a caller; see db/functions/access/access.sql for how to read it. */
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
  /** Where no team was asked for: whether one of the caller's has API access. */
  any_api_access: boolean | null
  project_id: string | null
  origin_allowed: boolean | null
  used: number | null
  reset_seconds: number
}

const selectAccess = statement<object, AccessRow>(sql`
  select *
    from access(
      ${placeholder('hash')}, ${placeholder('team')}, ${placeholder('project')}, ${placeholder('origin')},
      ${placeholder('max')}, ${placeholder('windowSeconds')},
      ${placeholder('unknownSubject')}, ${placeholder('unknownMax')}, ${placeholder('unknownWindowSeconds')}
    )`)

const UNCOUNTED = { max: null, windowSeconds: null }

/** One round trip that judges a caller and counts the request. */
export async function readAccess(tx: Tx, { limit, unknownLimit, ...question }: AccessQuery): Promise<AccessRow> {
  return onlyOne(
    await selectAccess(tx, {
      ...question,
      ...(limit ?? UNCOUNTED),
      unknownMax: unknownLimit.max,
      unknownWindowSeconds: unknownLimit.windowSeconds,
    }),
  )
}

export interface PublicAccessQuery {
  publicKey: string | null
  /** Whose requests are counted; null when this one was counted before. */
  subject: string | null
  /** What is blocked for running into limits again and again. */
  address: string
  limit: Limit
}

export interface PublicAccessRow {
  team_id: string | null
  project_id: string | null
  public_count: number
  rated_count: number
  rating_sum: number
  used: number | null
  reset_seconds: number
  /** For how long the address is blocked; null if it is not. */
  blocked_seconds: number | null
}

const selectPublicAccess = statement<object, PublicAccessRow>(sql`
  select *
    from visit(
      ${placeholder('publicKey')}, ${placeholder('subject')}, ${placeholder('address')}, ${placeholder('max')}, ${placeholder('windowSeconds')}
    )`)

/** One round trip that counts a visitor's request and finds the project of the public key. */
export async function readPublicAccess(tx: Tx, { limit, ...values }: PublicAccessQuery): Promise<PublicAccessRow> {
  return onlyOne(await selectPublicAccess(tx, { ...values, ...limit }))
}

const askCount = statement<object, { used: number | null; reset_seconds: number }>(sql`
  select *
    from count_request(${placeholder('subject')}, ${placeholder('max')}, ${placeholder('windowSeconds')})`)

/** Counts a request that carries no credential. */
export async function countRequest(tx: Tx, question: { subject: string; limit: Limit }) {
  const { limit, subject } = question
  return onlyOne(await askCount(tx, { subject, ...limit }))
}
