import type { Client } from '@earshot/contracts/client'
import { accountOf } from './account.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const SHOWN_PROJECTS = 20

/** The team and project that a command acts in. */
export interface TeamAndProject {
  team_id?: string
  project_id?: string
}

interface Named {
  id: string
  name: string
}

/** Finds both from flags, then EARSHOT_TEAM and EARSHOT_PROJECT, then the profile, then the only ones you can see. Throws a UsageError that lists several. */
export async function findTeamAndProject(
  client: Client,
  asked: { needsTeam: boolean; needsProject: boolean; team?: string; project?: string },
  terminal: Terminal,
): Promise<TeamAndProject> {
  if (!asked.needsTeam) return {}
  const place = defaultPlace(terminal)
  const team_id = asked.team || place.team || onlyOne('team', (await client.me.retrieve()).teams)
  if (!asked.needsProject) return { team_id }
  const project_id = asked.project || place.project || onlyOne('project', await firstProjects(client, team_id))
  return { team_id, project_id }
}

/** Returns the defaults of `--team` and `--project`: of EARSHOT_TEAM and EARSHOT_PROJECT, else of the profile. */
export function defaultPlace(terminal: Pick<Terminal, 'env'>): { team?: string | undefined; project?: string | undefined } {
  const { EARSHOT_TEAM: team, EARSHOT_PROJECT: project } = terminal.env
  const { team: ownTeam, project: ownProject } = accountOf(terminal).profile ?? {}
  // The profile's project belongs to its team.
  return { team: team || ownTeam, project: project || (team && team !== ownTeam ? undefined : ownProject) }
}

async function firstProjects(client: Client, team_id: string): Promise<Named[]> {
  const projects: Named[] = []
  for await (const project of client.projects.list({ team_id })) if (projects.push(project) > SHOWN_PROJECTS) break
  return projects
}

function onlyOne(noun: 'team' | 'project', visible: readonly Named[]): string {
  const [first, ...others] = visible
  if (!first) throw new UsageError(`you have no ${noun}. Create one: earshot ${noun}s create --name …`)
  if (others.length === 0) return first.id
  const lines = visible.slice(0, SHOWN_PROJECTS).map(({ id, name }) => `  ${id}  ${name}`)
  if (visible.length > SHOWN_PROJECTS) lines.push('  …')
  throw new UsageError([`choose a ${noun} with --${noun} or EARSHOT_${noun.toUpperCase()}:`, ...lines].join('\n'))
}
