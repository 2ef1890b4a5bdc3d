import type { Operation } from '@earshot/contracts'
import type { Database, Executor, TeamDatabase } from '@earshot/db'
import type { AuthorizedRequest } from '../auth/caller.ts'
import type { PublicAccess } from '../auth/public-access.ts'

/** No team has it: whoever is bound to it sees no row of a team. */
const NOBODY = ''

export interface Databases {
  database: Database
  /** With row-level security: where the requests of a team run, as a role that PostgreSQL's policies bind to that team. */
  teamDatabase: TeamDatabase | null
}

/** Where a request's statements run. One that names no team (`/me/`, `/teams/`) is bound by none. */
export function executorOf(
  { database, teamDatabase }: Databases,
  { pathFields }: Operation,
  caller: AuthorizedRequest['caller'],
): Executor {
  if (!teamDatabase) return database
  if ('publicAccess' in caller) return visitorsExecutor(teamDatabase, caller.publicAccess)
  return 'team' in caller && pathFields.has('team_id') ? teamDatabase.forTeam(caller.team.id) : database
}

/** A visitor's team is known once the visit was made; before that nothing of any team is seen. */
function visitorsExecutor(teamDatabase: TeamDatabase, publicAccess: PublicAccess): Executor {
  const current = () => teamDatabase.forTeam(publicAccess.teamId() ?? NOBODY)
  const executor: Executor = {
    run: (text, params) => current().run(text, params),
    attempt: (work) => work(executor),
    transaction: (work) => current().transaction(work),
  }
  return executor
}
