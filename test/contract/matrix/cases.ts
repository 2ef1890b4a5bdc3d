import {
  type CredentialKind,
  type ErrorCode,
  errorRow,
  type NamedOperation,
  Plan,
  planIncludes,
  plans,
  type Role,
  roleSuffices,
  roles,
  type Scope,
  scopes,
} from '@earshot/contracts'
import { OAUTH_SCOPES } from '../../support/credentials.ts'
import type { ScopeChoice } from './world.ts'

/** The owner of the records in a path. */
export type RecordOwner = 'own team' | 'other team' | 'other project'

/** A request for an operation with a valid credential. */
export interface Case {
  named: NamedOperation
  kind: CredentialKind
  choice: ScopeChoice
  role: Role
  plan: Plan
  owner: RecordOwner
  scopes: readonly Scope[]
}

export interface Outcome {
  status: number
  code: ErrorCode
}

/** All kinds of credentials. */
export const kinds: readonly CredentialKind[] = ['pat', 'oauth2', 'jwt', 'session']

/** Returns every case of an operation: the product of all dimensions that matter for it. */
export function casesOf(named: NamedOperation): Case[] {
  const { pathFields } = named.operation
  const owners: RecordOwner[] = ['own team']
  if (pathFields.has('team_id')) owners.push('other team')
  if (pathFields.has('project_id')) owners.push('other project')
  return kinds.flatMap((kind) =>
    scopeChoices(named, kind).flatMap(({ choice, scopes: own }) =>
      roles.flatMap((role) =>
        Plan.options.flatMap((plan) => owners.map((owner): Case => ({ named, kind, choice, role, plan, owner, scopes: own }))),
      ),
    ),
  )
}

/** Tokens and clients have the scopes they were given; logins and sessions have all. */
function scopeChoices({ operation: { scope } }: NamedOperation, kind: CredentialKind): { choice: ScopeChoice; scopes: readonly Scope[] }[] {
  const all = kind === 'oauth2' ? OAUTH_SCOPES : scopes
  const choices: { choice: ScopeChoice; scopes: readonly Scope[] }[] = [{ choice: 'all', scopes: all }]
  if (kind === 'jwt' || kind === 'session' || !scope || !all.includes(scope)) return choices
  choices.push({ choice: 'right', scopes: [scope] }, { choice: 'wrong', scopes: all.filter((other) => other !== scope) })
  return choices
}

/** Returns the expected refusal, by the table of rules in order; null when the request succeeds. */
export function expectedOf({ named: { operation }, kind, scopes: own, role, plan, owner }: Case): Outcome | null {
  const { scope, withoutApiAccess, role: needed, feature } = operation
  const rules: [boolean, ErrorCode][] = [
    [owner === 'other team', 'not_found'],
    [!plans[plan].apiAccess && !withoutApiAccess && kind !== 'session', 'plan_without_api_access'],
    [scope !== undefined && !own.includes(scope), 'insufficient_scope'],
    [needed !== undefined && !roleSuffices(role, needed), 'insufficient_role'],
    [feature !== undefined && !planIncludes(plan, feature), 'feature_not_in_plan'],
    [owner === 'other project', 'not_found'],
  ]
  const code = rules.find(([stands]) => stands)?.[1]
  return code ? { status: errorRow(code).status, code } : null
}
