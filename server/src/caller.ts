import { ApiError, type LimitName, limits, type Operation, planIncludes, plans, roleSuffices } from '@earshot/contracts'
import { type AccessAnswer, countRequest, type Limit, readAccess, readVisit, type Tx } from '@earshot/db'
import { addressSubject } from './client-address.ts'
import type { InProject, ProjectVisitor } from './implement.ts'
import type { Standing } from './limit-headers.ts'
import { hashToken, isWellFormedToken } from './tokens.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const PUBLIC_KEY = /^pk_[0-9A-Za-z]{24}$/

/** What of a request decides who may do it. The same for REST and tRPC. */
export interface Approach {
  authorization: string | undefined
  ip: string
  /** Origin of the page that calls, when it is not our own. */
  origin: string | null
  isForwarded: boolean
  client: 'mcp' | null
  /** Whether it carries the header of a webhook delivery. */
  isDelivery: boolean
  /** Path fields, as they came. */
  path: Record<string, string | undefined>
}

/** Who calls, without the executor and the services that the pipeline adds. Fields that the path does not name are absent. */
export type Caller = Omit<InProject & ProjectVisitor, 'tx' | 'services' | 'figures'>

export interface Judgement {
  caller: Caller
  /** The team's answer is in; its project is judged last, after the input. */
  projectIsMissing: boolean
}

/** Scales every limit, for load tests. */
export interface LimitScale {
  multiplier: number
}

/**
 * The one judgement of every request, one round trip, nothing cached: credential (401) → rate limit (429) → team (404) →
 * plan with API access (403) → origin (403) → scope (403) → role (403). `report` hears of the limit whatever the outcome.
 */
export async function judgeCaller(
  tx: Tx,
  operation: Operation,
  approach: Approach,
  { multiplier, report }: LimitScale & { report: (standing: Standing) => void },
): Promise<Judgement> {
  const limit = scaled(operation.limit, multiplier)
  if (operation.path.startsWith('/api/public/')) return judgeVisitor(tx, operation, approach, { limit, report })

  const unknownLimit = scaled('unauthenticated', multiplier)
  const unknownSubject = `unauthenticated:${addressSubject(approach.ip)}`
  const token = bearerToken(approach.authorization)
  if (token === null) {
    const count = await countRequest(tx, { subject: unknownSubject, limit: unknownLimit })
    requireRoom('unauthenticated', unknownLimit, count, report)
    throw new ApiError('not_authenticated')
  }
  const answer = await readAccess(tx, {
    hash: hashToken(token),
    team: uuidOrNull(approach.path.team_id),
    project: uuidOrNull(approach.path.project_id),
    origin: approach.origin,
    limit,
    unknownSubject,
    unknownLimit,
  })
  if (answer.credential_id === null || !isWellFormedToken(token)) {
    requireRoom('unauthenticated', unknownLimit, answer, report)
    throw new ApiError(answer.expired ? 'token_expired' : 'invalid_token')
  }
  requireRoom(operation.limit, limit, answer, report)
  requireAccess(operation, approach, answer)
  return {
    caller: callerOf(answer, answer.credential_id, approach),
    projectIsMissing: operation.pathFields.has('project_id') && answer.project_id === null,
  }
}

/** The team's plan must include the operation's feature: judged after the input, before the record. */
export function requireFeature({ feature }: Operation, caller: Caller): void {
  if (feature && !planIncludes(caller.team.plan, feature)) throw new ApiError('feature_not_in_plan', { feature, plan: caller.team.plan })
}

async function judgeVisitor(
  tx: Tx,
  { limit: name, method, pathFields }: Operation,
  { path, ip, isDelivery }: Approach,
  { limit, report }: { limit: Limit; report: (standing: Standing) => void },
): Promise<Judgement> {
  const answer = await readVisit(tx, { publicKey: publicKeyOrNull(path.public_key), subject: `${name}:${addressSubject(ip)}`, limit })
  requireRoom(name, limit, answer, report)
  // A receiver that posts what it received would make an event of each event.
  if (isDelivery && method !== 'GET') throw new ApiError('webhook_loop')
  const { public_count, rated_count, rating_sum } = answer
  const project = { team_id: answer.team_id ?? '', project_id: answer.project_id ?? '' }
  const figures = { public_count, rated_count, rating_sum }
  // A visitor has no credential: the fields that tell of one are never read by a public handler.
  return {
    caller: { ip, project, figures } as unknown as Caller,
    projectIsMissing: pathFields.has('public_key') && answer.project_id === null,
  }
}

function requireAccess({ pathFields, scope, role }: Operation, { origin }: Approach, answer: AccessAnswer): void {
  if (pathFields.has('team_id') && answer.team_id === null) throw new ApiError('not_found')
  const hasApiAccess = answer.team_id === null ? answer.any_api_access : plans[answer.plan].apiAccess
  if (!hasApiAccess && answer.credential_kind !== 'session') throw new ApiError('plan_without_api_access')
  if (origin !== null && !answer.origin_allowed) throw new ApiError('origin_not_allowed')
  if (scope && !answer.scopes.includes(scope)) throw new ApiError('insufficient_scope', { required_scope: scope })
  if (role && !roleSuffices(answer.role, role)) throw new ApiError('insufficient_role', { required_role: role })
}

function requireRoom(
  name: LimitName,
  limit: Limit,
  { used, reset_seconds }: { used: number | null; reset_seconds: number },
  report: (standing: Standing) => void,
): void {
  report({ name, limit, remaining: used === null ? 0 : limit.max - used, resetSeconds: reset_seconds })
  if (used === null) throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, reset_seconds) })
}

function callerOf(answer: AccessAnswer, credentialId: string, { ip, isForwarded, client }: Approach): Caller {
  return {
    actor: { userId: answer.user_id, credentialId, credentialKind: answer.credential_kind, ip },
    credential: { kind: answer.credential_kind, id: credentialId, scopes: answer.scopes, expiresAt: answer.expires_at },
    team: { id: answer.team_id ?? '', role: answer.role, plan: answer.plan },
    project: { team_id: answer.team_id ?? '', project_id: answer.project_id ?? '' },
    seesContacts: answer.scopes.includes('read:contacts') && answer.role !== 'viewer',
    client,
    isForwarded,
    ip,
  }
}

/** The value of `Authorization: Bearer`, null when there is none (RFC 6750 §2.1; the scheme's case does not matter). */
function bearerToken(authorization: string | undefined): string | null {
  return authorization?.match(/^bearer +(\S+) *$/i)?.[1] ?? null
}

/** What is not shaped like one of our keys identifies nothing. */
function publicKeyOrNull(text: string | undefined): string | null {
  return text !== undefined && PUBLIC_KEY.test(text) ? text : null
}

/** A malformed id names nothing that exists. */
function uuidOrNull(text: string | undefined): string | null {
  return text !== undefined && UUID.test(text) ? text : null
}

function scaled(name: LimitName, multiplier: number): Limit {
  const { max, windowSeconds } = limits[name]
  return { max: Math.min(2_147_483_647, Math.round(max * multiplier)), windowSeconds }
}
