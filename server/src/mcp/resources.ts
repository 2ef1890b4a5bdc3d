import type { Arguments } from './exchange.ts'
import { INSTRUCTIONS } from './instructions.ts'
import type { Selection } from './selection.ts'

const SCHEME = 'earshot://'
const GUIDE = `${SCHEME}guide`
const PROJECT = 'teams/{team_id}/projects/{project_id}'

/** Records that a person can refer to, each read by an operation. */
const templates = [
  { path: PROJECT, tool: 'projects_retrieve', name: 'project', description: 'A project and its settings.' },
  { path: `${PROJECT}/analytics`, tool: 'analytics_overview', name: 'analytics', description: 'The figures of a project.' },
  { path: `${PROJECT}/pending`, tool: 'submissions_list', name: 'pending', description: 'The submissions that wait for a decision.' },
  { path: `${PROJECT}/submissions/{submission_id}`, tool: 'submissions_retrieve', name: 'submission', description: 'A submission.' },
  { path: `${PROJECT}/surveys/{survey_id}`, tool: 'surveys_retrieve', name: 'survey', description: 'A survey and its questions.' },
  {
    path: `${PROJECT}/surveys/{survey_id}/results`,
    tool: 'surveys_results',
    name: 'results',
    description: 'What the responses to a survey say.',
  },
] as const

const patterns = templates.map(({ path, tool, name }) => ({
  tool,
  more: name === 'pending' ? { state: 'pending' } : {},
  matches: new RegExp(`^${SCHEME}${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[0-9a-fA-F-]{36})')}$`),
}))

/** Lists the resources that exist without an id: a guide, and those of the project that the connection fixes. */
export function listResources({ fixed }: Selection) {
  const guide = { uri: GUIDE, name: 'guide', description: 'How to work with Earshot.', mimeType: 'text/plain' }
  if (fixed.team_id === undefined || fixed.project_id === undefined) return [guide]
  const own = templates.filter(({ path }) => !path.replace(PROJECT, '').includes('{'))
  return [
    guide,
    ...own.map(({ path, name, description }) => ({ uri: SCHEME + fill(path, fixed), name, description, mimeType: 'application/json' })),
  ]
}

export function listTemplates() {
  return templates.map(({ path, name, description }) => ({ uriTemplate: SCHEME + path, name, description, mimeType: 'application/json' }))
}

/** Returns the operation that reads a resource, with its arguments; null for a resource of no record. */
export function readingOf(uri: unknown): { tool: string; args: Arguments } | null {
  if (typeof uri !== 'string') return null
  for (const { tool, more, matches } of patterns) {
    const found = matches.exec(uri)
    if (found) return { tool, args: { ...found.groups, ...more } }
  }
  return null
}

/** Returns the text of a resource that is no record; null for any other. */
export function staticResource(uri: string): string | null {
  return uri === GUIDE ? INSTRUCTIONS : null
}

function fill(path: string, fields: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => fields[name] ?? '')
}
