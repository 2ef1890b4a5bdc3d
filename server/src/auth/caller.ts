import { ApiError, type Operation, planIncludes, plans, roleSuffices } from '@earshot/contracts'
import type { AccessRow, Tx } from '@earshot/db'
import type { Guest, InAccount, InProject, Visitor } from '../http/implement.ts'
import type { ReplyHeaders } from '../http/reply-headers.ts'
import type { RequestFacts } from '../http/request-facts.ts'
import type { AccessJwts } from './access-jwts.ts'
import { authorizeCredential, type KnownAnswer, readCredential } from './credential.ts'
import { authorizePublic, type DeferredAccess, deferPublicAccess, type PublicProjectRow } from './public-access.ts'
import { countUnauthenticated } from './rate-limit.ts'
import type { Sessions } from './session-engine.ts'
import { readOwnAccount } from './sign-in.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** Who calls, without the executor and the services that the pipeline adds. Fields that the path does not name are absent. */
export type Caller = Omit<InProject, 'tx' | 'services'> & Partial<Pick<InAccount, 'account' | 'setCookie'>>
/** A visitor of the public plane; the project is null where the path names none, or none that exists. */
type PublicCaller = Pick<Visitor, 'ip'> & ({ project: PublicProjectRow | null } | { deferredAccess: DeferredAccess })
type OpenCaller = PublicCaller | Omit<Guest, 'tx' | 'services'>

export interface AuthorizedRequest {
  caller: Caller | OpenCaller
  /** The team's answer is in; its project is judged last, after the input. */
  projectIsMissing: boolean
}

interface AuthorizeOptions {
  sessions: Sessions
  accessJwts: AccessJwts
  multiplier: number
  replyHeaders: ReplyHeaders
  isCounted?: boolean
}

/**
 * The one judgement of every request, one round trip, nothing cached: credential (401) → rate limit (429) → team (404) →
 * plan with API access (403) → origin (403) → scope (403) → role (403). A second one reads the account of who is asked
 * for the password again. On the public plane, see public-access.ts.
 */
export async function authorizeCaller(
  tx: Tx,
  operation: Operation,
  requestFacts: RequestFacts,
  options: AuthorizeOptions,
): Promise<AuthorizedRequest> {
  if (operation.access === 'public') {
    return authorizeVisitor(tx, operation, requestFacts, options)
  }
  if (operation.access === 'account') {
    const caller = guestOf(tx, requestFacts, options)
    if (operation.counts === 'requests') await caller.countTry()
    return { caller, projectIsMissing: false }
  }
  const credential = await readCredential(requestFacts, options)
  if (credential === null || credential.kind === null) {
    if (!options.isCounted) await countUnauthenticated(tx, { ip: requestFacts.ip, ...options })
    throw new ApiError(credential?.code ?? 'not_authenticated')
  }
  const { limit, pathFields } = operation
  const answer = await authorizeCredential(tx, credential, placeOf(requestFacts), { ip: requestFacts.ip, limit, ...options })
  if ('code' in answer) throw new ApiError(answer.code)
  requireAccess(operation, requestFacts, answer)
  return {
    caller: {
      ...callerOf(answer, requestFacts),
      ...(operation.reauthenticates && (await atLock(tx, answer, requestFacts, options))),
    },
    projectIsMissing: pathFields.has('project_id') && answer.project_id === null,
  }
}

async function authorizeVisitor(
  tx: Tx,
  operation: Operation,
  requestFacts: RequestFacts,
  options: AuthorizeOptions,
): Promise<AuthorizedRequest> {
  const { ip } = requestFacts
  if (operation.authorizesWithWork) {
    return { caller: { ip, deferredAccess: deferPublicAccess(tx, operation, requestFacts, options) }, projectIsMissing: false }
  }
  const project = await authorizePublic(tx, operation, requestFacts, options)
  return { caller: { ip, project }, projectIsMissing: operation.pathFields.has('public_key') && project === null }
}

/** The team's plan must include the operation's feature: judged after the input, before the record. */
export function requireFeature({ feature }: Operation, { team }: Caller): void {
  if (feature && !planIncludes(team.plan, feature)) throw new ApiError('feature_not_in_plan', { feature, plan: team.plan })
}

/** Where the password or a code is asked for again, the account and what was tried belong to the judgement. */
async function atLock(tx: Tx, { user_id: userId }: AccessRow, { ip }: RequestFacts, { multiplier, replyHeaders }: AuthorizeOptions) {
  return { account: await readOwnAccount(tx, { userId, ip, multiplier }), setCookie: replyHeaders.cookie }
}

function placeOf({ path, origin }: RequestFacts) {
  return { team: uuidOrNull(path.team_id), project: uuidOrNull(path.project_id), origin }
}

function requireAccess(
  { method, pathFields, withoutApiAccess, scope, role }: Operation,
  { origin, provenance }: RequestFacts,
  answer: AccessRow,
): void {
  const isSession = answer.credential_kind === 'session'
  if (isSession && method !== 'GET' && !provenance.isOwnPage) throw new ApiError('csrf_failed')
  if (pathFields.has('team_id') && answer.team_id === null) throw new ApiError('not_found')
  const hasApiAccess = answer.team_id === null ? answer.any_api_access : plans[answer.plan].apiAccess
  if (!hasApiAccess && !withoutApiAccess && !isSession) throw new ApiError('plan_without_api_access')
  if (origin !== null && !answer.origin_allowed) throw new ApiError('origin_not_allowed')
  if (scope && !answer.scopes.includes(scope)) throw new ApiError('insufficient_scope', { required_scope: scope })
  if (role && !roleSuffices(answer.role, role)) throw new ApiError('insufficient_role', { required_role: role })
}

function callerOf(answer: KnownAnswer, { ip, isForwarded, client }: RequestFacts): Caller {
  return {
    actor: { userId: answer.user_id, credentialId: answer.credential_id, credentialKind: answer.credential_kind, ip },
    credential: { kind: answer.credential_kind, id: answer.credential_id, scopes: answer.scopes, expiresAt: answer.expires_at },
    team: { id: answer.team_id ?? '', role: answer.role, plan: answer.plan },
    project: { team_id: answer.team_id ?? '', project_id: answer.project_id ?? '' },
    seesContacts: answer.scopes.includes('read:contacts') && answer.role !== 'viewer',
    client,
    isForwarded,
  }
}

function guestOf(
  tx: Tx,
  { ip, userAgent, provenance, cookies }: RequestFacts,
  { sessions, multiplier, replyHeaders }: AuthorizeOptions,
): Omit<Guest, 'tx' | 'services'> {
  let counted: Promise<void> | undefined
  const countTry = () => {
    counted ??= countUnauthenticated(tx, { ip, multiplier, replyHeaders })
    return counted
  }
  return { ip, userAgent, provenance, sessionId: sessions.read(cookies), setCookie: replyHeaders.cookie, countTry }
}

/** A malformed id names nothing that exists. */
function uuidOrNull(text: string | undefined): string | null {
  return text !== undefined && UUID.test(text) ? text : null
}
