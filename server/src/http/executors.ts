import type { Operation } from '@earshot/contracts'
import type { Database, Patience, TeamDatabase, Tx } from '@earshot/db'
import type { AuthorizedRequest } from '../auth/caller.ts'

/** No team has this id: statements bound to it see no team's rows. */
const NO_TEAM = ''

export interface Databases {
  database: Database
  /** With row-level security: runs the requests of a team as a role that PostgreSQL's policies bind to that team. */
  teamDatabase: TeamDatabase | null
}

/** Returns where a request's statements run. A request that names no team (`/me/`, `/teams/`) is not bound to one. */
export function executorOf(
  { database, teamDatabase }: Databases,
  operation: Operation,
  { caller, patience }: { caller: AuthorizedRequest['caller']; patience: Patience },
): Tx {
  if (!teamDatabase) return database.patiently(patience)
  const teamId = teamIdOf(operation, caller)
  if (operation.access === 'public') return teamDatabase.forTeam(teamId ?? NO_TEAM, patience)
  return teamId === null ? database.patiently(patience) : teamDatabase.forTeam(teamId, patience)
}

/** Returns the team of a request, null when it names none, or none is known yet. */
export function teamIdOf({ access, pathFields }: Operation, caller: AuthorizedRequest['caller']): string | null {
  if (access === 'public') return publicTeamId(caller)
  return 'team' in caller && pathFields.has('team_id') ? caller.team.id : null
}

/** The public project's team. A statement that authorizes with its work binds itself to the team that it finds. */
function publicTeamId(caller: AuthorizedRequest['caller']): string | null {
  if ('deferredAccess' in caller) return caller.deferredAccess.teamId()
  return 'project' in caller ? (caller.project?.team_id ?? null) : null
}
