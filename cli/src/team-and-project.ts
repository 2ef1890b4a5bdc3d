import type { Client } from '@earshot/contracts/client'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const SHOWN_PROJECTS = 20

/** The team and the project of a command, where it has them as parents. */
export interface Place {
  team_id?: string
  project_id?: string
}

interface Named {
  id: string
  name: string
}

/** Flags first, then EARSHOT_TEAM and EARSHOT_PROJECT, then the only one that the service shows; else a UsageError that lists them. */
export async function findPlace(
  client: Client,
  asked: { needsTeam: boolean; needsProject: boolean; team?: string; project?: string },
  { env }: Terminal,
): Promise<Place> {
  if (!asked.needsTeam) return {}
  const team_id = asked.team || env.EARSHOT_TEAM || onlyOne('team', (await client.me.retrieve()).teams)
  if (!asked.needsProject) return { team_id }
  const project_id = asked.project || env.EARSHOT_PROJECT || onlyOne('project', await someProjects(client, team_id))
  return { team_id, project_id }
}

async function someProjects(client: Client, team_id: string): Promise<Named[]> {
  const projects: Named[] = []
  for await (const project of client.projects.list({ team_id })) if (projects.push(project) > SHOWN_PROJECTS) break
  return projects
}

function onlyOne(noun: 'team' | 'project', visible: readonly Named[]): string {
  const [first, ...others] = visible
  if (!first) throw new UsageError(`no ${noun} is visible to you; make one: earshot ${noun}s create --name …`)
  if (others.length === 0) return first.id
  const lines = visible.slice(0, SHOWN_PROJECTS).map(({ id, name }) => `  ${id}  ${name}`)
  if (visible.length > SHOWN_PROJECTS) lines.push('  …')
  throw new UsageError([`choose one by --${noun} or EARSHOT_${noun.toUpperCase()}:`, ...lines].join('\n'))
}
