import { ApiError, isPublic, type Operation, planIncludes, plans, roleSuffices } from '@earshot/contracts'
import { type AccessAnswer, countRequest, readAccess, type Tx } from '@earshot/db'
import type { Approach } from './approach.ts'
import { addressSubject } from './client-address.ts'
import type { InProject, Visitor } from './implement.ts'
import { type Report, requireRoom, scaled } from './rate-limit.ts'
import { hashToken, isWellFormedToken } from './tokens.ts'
import { openVisit } from './visit.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** Who calls, without the executor and the services that the pipeline adds. Fields that the path does not name are absent. */
export type Caller = Omit<InProject, 'tx' | 'services'>
type VisitingCaller = Omit<Visitor, 'tx' | 'services'>

export interface Judgement {
  caller: Caller | VisitingCaller
  /** The team's answer is in; its project is judged last, after the input. */
  projectIsMissing: boolean
}

/**
 * The one judgement of every request, one round trip, nothing cached: credential (401) → rate limit (429) → team (404) →
 * plan with API access (403) → origin (403) → scope (403) → role (403). A visitor's is made with the work (visit.ts).
 */
export async function judgeCaller(
  tx: Tx,
  operation: Operation,
  approach: Approach,
  { multiplier, report }: { multiplier: number; report: Report },
): Promise<Judgement> {
  if (isPublic(operation)) {
    const visit = openVisit(tx, operation, approach, { multiplier, report })
    return { caller: { ip: approach.ip, visit }, projectIsMissing: false }
  }
  const limit = scaled(operation.limit, multiplier)
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
export function requireFeature({ feature }: Operation, { team }: Caller): void {
  if (feature && !planIncludes(team.plan, feature)) throw new ApiError('feature_not_in_plan', { feature, plan: team.plan })
}

function requireAccess({ pathFields, scope, role }: Operation, { origin }: Approach, answer: AccessAnswer): void {
  if (pathFields.has('team_id') && answer.team_id === null) throw new ApiError('not_found')
  const hasApiAccess = answer.team_id === null ? answer.any_api_access : plans[answer.plan].apiAccess
  if (!hasApiAccess && answer.credential_kind !== 'session') throw new ApiError('plan_without_api_access')
  if (origin !== null && !answer.origin_allowed) throw new ApiError('origin_not_allowed')
  if (scope && !answer.scopes.includes(scope)) throw new ApiError('insufficient_scope', { required_scope: scope })
  if (role && !roleSuffices(answer.role, role)) throw new ApiError('insufficient_role', { required_role: role })
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
  }
}

/** The value of `Authorization: Bearer`, null when there is none (RFC 6750 §2.1; the scheme's case does not matter). */
function bearerToken(authorization: string | undefined): string | null {
  return authorization?.match(/^bearer +(\S+) *$/i)?.[1] ?? null
}

/** A malformed id names nothing that exists. */
function uuidOrNull(text: string | undefined): string | null {
  return text !== undefined && UUID.test(text) ? text : null
}
