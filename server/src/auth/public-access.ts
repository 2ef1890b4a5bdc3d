import { ApiError, type Operation } from '@earshot/contracts'
import { type Limit, type PublicAccessQuery, type PublicAccessRow, readPublicAccess, type Tx } from '@earshot/db'
import { addressSubject } from './client-address.ts'
import { requireWithinLimit, scaled, scaledMax } from './rate-limit.ts'
import type { ReplyHeaders } from './reply-headers.ts'
import type { RequestFacts } from './request-facts.ts'

/** Fields of a public path that identify the project. */
export const IDENTIFIES_PROJECT = ['public_key', 'survey_id', 'widget_id', 'video_id'] as const

const PUBLIC_KEY = /^pk_[0-9A-Za-z]{24}$/
const UPLOAD_TOKEN = /^upl_[0-9A-Za-z]{43}$/
/** As PostgreSQL writes ids. */
const RECORD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The project of a public key, with the figures of its public items. */
export type PublicProjectRow = PublicAccessRow & { team_id: string; project_id: string }

interface PublicAccessOptions {
  multiplier: number
  publicWritesPerDay: number
  replyHeaders: ReplyHeaders
}

/**
 * Counts a request of the public plane and finds the project of its public key, in one round trip; null when there is none.
 * Throws `abuse_blocked` and `rate_limited` (429), then `webhook_loop` (403).
 */
export async function authorizePublic(
  tx: Tx,
  operation: Operation,
  requestFacts: RequestFacts,
  options: PublicAccessOptions,
): Promise<PublicProjectRow | null> {
  const row = await readPublicAccess(tx, queryOf(operation, requestFacts, options))
  requireAdmitted(row, operation, requestFacts, options)
  return hasProject(row) ? row : null
}

/**
 * Authorizes and counts a request of an operation with `authorizesWithWork`, once: in the statement of its work, or by
 * itself where the request never gets so far. Both throw what `authorizePublic` throws.
 */
export interface DeferredAccess {
  /** Runs the work, which must do nothing unless the row admits the request. Throws `not_found` too. */
  authorizeWith<Row extends PublicAccessRow & { is_due?: boolean }>(
    work: (query: PublicAccessQuery) => Promise<Row>,
  ): Promise<Row & PublicProjectRow>
  /** Authorizes a request without its work, unless that has happened. */
  settle(): Promise<void>
  /** Settles, and returns the project. Throws `not_found` too. */
  requireProject(): Promise<PublicProjectRow>
  /** The project's team, once it is known. */
  teamId(): string | null
  /** Whether the work may have left deliveries that are due: not those that it claimed. */
  leavesDue(): boolean
}

export function deferPublicAccess(tx: Tx, operation: Operation, requestFacts: RequestFacts, options: PublicAccessOptions): DeferredAccess {
  const query = queryOf(operation, requestFacts, options)
  let counted: PublicAccessRow | undefined
  let leavesDue = true

  const count = (row: PublicAccessRow) => {
    counted = row
    requireAdmitted(row, operation, requestFacts, options)
  }
  const settle = async () => {
    if (!counted) count(await readPublicAccess(tx, query))
  }
  return {
    settle,
    async requireProject() {
      await settle()
      return requireProject(counted)
    },
    async authorizeWith(work) {
      // The statement does not know about loops, so it must not run in one.
      if (isLoop(operation, requestFacts)) await settle()
      const row = await work(counted ? { ...query, subject: null } : query)
      if (!counted) count(row)
      leavesDue = row.is_due ?? true
      return requireProject(row)
    },
    teamId: () => counted?.team_id ?? null,
    leavesDue: () => leavesDue,
  }
}

function queryOf(
  { method, limit: name }: Operation,
  { path, uploadToken, ip }: RequestFacts,
  { multiplier, publicWritesPerDay }: PublicAccessOptions,
): PublicAccessQuery {
  const address = addressSubject(ip)
  return {
    publicKey: publicKeyOf(path, uploadToken),
    subject: `${name}:${address}`,
    address,
    limit: scaled(name, multiplier),
    ...(method !== 'GET' && { dayMax: scaledMax(publicWritesPerDay, multiplier) }),
  }
}

function requireAdmitted(
  row: PublicAccessRow,
  operation: Operation,
  requestFacts: RequestFacts,
  { multiplier, replyHeaders }: PublicAccessOptions,
): void {
  const name = operation.limit
  const limit: Limit = scaled(name, multiplier)
  const { blocked_seconds } = row
  if (blocked_seconds !== null) {
    replyHeaders.rateLimit({ name, limit, remaining: 0, resetSeconds: blocked_seconds })
    throw new ApiError('abuse_blocked', { retryAfterSeconds: blocked_seconds })
  }
  requireWithinLimit(name, limit, row, replyHeaders)
  if (isLoop(operation, requestFacts)) throw new ApiError('webhook_loop')
}

/** A receiver that posts what it received would make an event of each event. */
function isLoop({ method }: Operation, { isDelivery }: RequestFacts): boolean {
  return isDelivery && method !== 'GET'
}

function requireProject<Row extends PublicAccessRow>(row: Row | undefined): Row & PublicProjectRow {
  if (!row || !hasProject(row)) throw new ApiError('not_found')
  return row
}

function hasProject<Row extends PublicAccessRow>(row: Row): row is Row & PublicProjectRow {
  return row.team_id !== null && row.project_id !== null
}

/**
 * What identifies the project: its public key, a survey, a widget, or a video with the token of its upload. A text that is not
 * shaped like one identifies none.
 */
function publicKeyOf({ public_key, survey_id, widget_id, video_id }: RequestFacts['path'], uploadToken: string | null): string | null {
  if (video_id !== undefined) return RECORD_ID.test(video_id) && isUploadToken(uploadToken) ? `upload:${video_id}:${uploadToken}` : null
  if (survey_id !== undefined) return recordKey('survey', survey_id)
  if (widget_id !== undefined) return recordKey('widget', widget_id)
  return public_key !== undefined && PUBLIC_KEY.test(public_key) ? public_key : null
}

function isUploadToken(token: string | null): token is string {
  return token !== null && UPLOAD_TOKEN.test(token)
}

function recordKey(kind: string, id: string): string | null {
  return RECORD_ID.test(id) ? `${kind}:${id}` : null
}
