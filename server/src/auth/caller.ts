import { ApiError, type LimitName, type Operation, planIncludes, plans, roleSuffices } from '@earshot/contracts'
import { type AccessRow, findOwnSignIn, type Tx } from '@earshot/db'
import type { AccessJwts } from './access-jwts.ts'
import type { Guest, InAccount, InProject, Visitor } from './callers.ts'
import { authorizeCredential, type KnownAccessRow, readCredential } from './credential.ts'
import type { ReadDeviceCookie } from './device-cookie.ts'
import { authorizePublic, type DeferredAccess, deferPublicAccess, IDENTIFIES_PROJECT, type PublicProjectRow } from './public-access.ts'
import { countUnauthenticated } from './rate-limit.ts'
import type { ReplyHeaders } from './reply-headers.ts'
import type { RequestFacts } from './request-facts.ts'
import type { Sessions } from './session-engine.ts'
import { uploadTokenMissing } from './upload-token.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** A caller with a credential, without the executor and the services that the pipeline adds. Ids that the path lacks are empty. */
export type Caller = Omit<InProject, 'tx' | 'services' | 'receiver'> & Partial<Pick<InAccount, 'account' | 'device' | 'setCookie'>>
/** A visitor of the public plane. The project is null when the path has no public key, or an unknown one. */
type PublicCaller = Pick<Visitor, 'ip'> & ({ project: PublicProjectRow | null } | { deferredAccess: DeferredAccess })
type OpenCaller = PublicCaller | Omit<Guest, 'tx' | 'services'>

export interface AuthorizedRequest {
  caller: Caller | OpenCaller
  /** The project of the path does not exist. It is reported last, after the input is validated. */
  projectIsMissing: boolean
}

interface AuthorizeOptions {
  sessions: Sessions
  deviceOf: ReadDeviceCookie
  accessJwts: AccessJwts
  multiplier: number
  publicWritesPerDay: number
  replyHeaders: ReplyHeaders
  isCounted?: boolean
}

/**
 * Authorizes every request in one round trip, with nothing cached: credential (401) → rate limit (429) → team (404) → plan
 * with API access (403) → origin (403) → scope (403) → role (403). Operations that reauthenticate take a second one, for the
 * account. For the public plane see public-access.ts.
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
    // Reading a large body is work too: it counts even where only failures do.
    if (operation.counts === 'requests' || requestFacts.hasLargeBody) await caller.countAttempt()
    return { caller, projectIsMissing: false }
  }
  const access = await authenticate(tx, operation.limit, requestFacts, options)
  requireAsked(access, requestFacts)
  requireAccess(operation, requestFacts, access)
  return {
    caller: {
      ...callerOf(access, requestFacts),
      ...(operation.reauthenticates && (await reauthenticationOf(tx, access, requestFacts, options))),
    },
    projectIsMissing: operation.pathFields.has('project_id') && access.project_id === null,
  }
}

/** Finds the credential of a request and counts the request. Throws 401, and 429 when its limit is reached. */
export async function authenticate(
  tx: Tx,
  limit: LimitName,
  requestFacts: RequestFacts,
  options: AuthorizeOptions,
): Promise<KnownAccessRow> {
  const { ip } = requestFacts
  const credential = await readCredential(requestFacts, options)
  if (credential === null || credential.kind === null) {
    if (!options.isCounted) await countUnauthenticated(tx, { ip, ...options })
    throw new ApiError(credential?.code ?? 'not_authenticated')
  }
  const access = await authorizeCredential(tx, credential, targetOf(requestFacts), { ip, limit, ...options })
  if ('code' in access) throw new ApiError(access.code)
  return access
}

async function authorizeVisitor(
  tx: Tx,
  operation: Operation,
  requestFacts: RequestFacts,
  options: AuthorizeOptions,
): Promise<AuthorizedRequest> {
  const { ip } = requestFacts
  if (operation.authorizesWithWork) {
    const deferredAccess = deferPublicAccess(tx, operation, requestFacts, options)
    if (requestFacts.hasLargeBody) await deferredAccess.settle()
    return { caller: { ip, deferredAccess }, projectIsMissing: false }
  }
  const project = await authorizePublic(tx, operation, requestFacts, options)
  if (operation.headerFields.has('upload_token') && requestFacts.uploadToken === null) throw uploadTokenMissing()
  const isInProject = IDENTIFIES_PROJECT.some((name) => operation.pathFields.has(name))
  return { caller: { ip, project }, projectIsMissing: isInProject && project === null }
}

/** Requires that the team's plan includes the operation's feature. Checked after the input, before the record. */
export function requireFeature({ feature }: Operation, { team }: Caller): void {
  if (feature && !planIncludes(team.plan, feature)) throw new ApiError('feature_not_in_plan', { feature, plan: team.plan })
}

/** Reads the account of a caller who is asked for the password or a code again. */
async function reauthenticationOf(
  tx: Tx,
  { user_id: userId }: AccessRow,
  { cookies }: RequestFacts,
  { deviceOf, replyHeaders: { cookie: setCookie } }: AuthorizeOptions,
) {
  return { account: await findOwnSignIn(tx, userId), device: deviceOf({ cookies, setCookie }), setCookie }
}

function targetOf({ path, origin }: RequestFacts) {
  return { team: uuidOrNull(path.team_id), project: uuidOrNull(path.project_id), origin }
}

/** A second check that the database judged this request's own path. */
function requireAsked({ team_id, project_id }: AccessRow, { path }: RequestFacts): void {
  const isAnswer = (found: string | null, asked: string | undefined) => found === null || found === asked?.toLowerCase()
  if (!isAnswer(team_id, path.team_id) || !isAnswer(project_id, path.project_id))
    throw new Error('The access of another request was returned')
}

function requireAccess(
  { method, pathFields, withoutApiAccess, scope, role }: Operation,
  { origin, provenance }: RequestFacts,
  access: AccessRow,
): void {
  const isSession = access.credential_kind === 'session'
  if (isSession && method !== 'GET' && !provenance.isOwnPage) throw new ApiError('csrf_failed')
  if (pathFields.has('team_id') && access.team_id === null) throw new ApiError('not_found')
  const hasApiAccess = access.team_id === null ? access.any_api_access : plans[access.plan].apiAccess
  if (!hasApiAccess && !withoutApiAccess && !isSession) throw new ApiError('plan_without_api_access')
  if (origin !== null && !access.origin_allowed) throw new ApiError('origin_not_allowed')
  if (scope && !access.scopes.includes(scope)) throw new ApiError('insufficient_scope', { required_scope: scope })
  if (role && !roleSuffices(access.role, role)) throw new ApiError('insufficient_role', { required_role: role })
}

function callerOf(access: KnownAccessRow, { ip, isForwarded, client }: RequestFacts): Caller {
  return {
    actor: { userId: access.user_id, credentialId: access.credential_id, credentialKind: access.credential_kind, ip },
    credential: { kind: access.credential_kind, id: access.credential_id, scopes: access.scopes, expiresAt: access.expires_at },
    team: { id: access.team_id ?? '', role: access.role, plan: access.plan },
    project: { team_id: access.team_id ?? '', project_id: access.project_id ?? '' },
    seesContacts: access.scopes.includes('read:contacts') && access.role !== 'viewer',
    client,
    isForwarded,
  }
}

function guestOf(
  tx: Tx,
  { ip, userAgent, provenance, cookies }: RequestFacts,
  { sessions, deviceOf, multiplier, replyHeaders }: AuthorizeOptions,
): Omit<Guest, 'tx' | 'services'> {
  let counted: Promise<void> | undefined
  const countAttempt = () => {
    counted ??= countUnauthenticated(tx, { ip, multiplier, replyHeaders })
    return counted
  }
  const { cookie: setCookie } = replyHeaders
  const device = deviceOf({ cookies, setCookie })
  return { ip, userAgent, provenance, sessionId: sessions.read(cookies), device, setCookie, countAttempt }
}

/** Returns null for a malformed id, which identifies no record. */
function uuidOrNull(text: string | undefined): string | null {
  return text !== undefined && UUID.test(text) ? text : null
}
