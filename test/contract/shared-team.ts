import type { NamedOperation } from '@earshot/contracts'
import type { Database } from '@earshot/db'
import { makeTeam, type Team } from '../support/people.ts'
import { endsAccess } from './operations.ts'

/**
 * Returns what gives each operation a team to succeed in. Most share one. One of its own gets an operation that takes access away, one
 * that makes endpoints, to which every later event of the team would be sent, and one of visitors, whose same words are accepted once.
 */
export function createTeams(database: Database): (named: NamedOperation) => Promise<Team> {
  let shared: Promise<Team> | undefined
  return (named) => {
    if (endsAccess(named) || isOfEndpoints(named) || named.operation.access === 'public') return makeTeam(database)
    shared ??= makeTeam(database)
    return shared
  }
}

function isOfEndpoints({ operation: { scope } }: NamedOperation): boolean {
  return scope === 'read:webhooks' || scope === 'write:webhooks'
}
