import { readable } from './account.ts'
import { METHODS } from './api-fields.ts'
import { OPENED } from './opened.ts'
import { listOperations } from './operation.ts'
import { openProfiles } from './profiles.ts'
import type { Terminal } from './terminal.ts'

/** A word that may follow, and what it is. */
export type Candidate = readonly [word: string, label: string]

/** What an argument of a tool may be: words, or the id of a field that the service knows. */
type Argument = { candidates: readonly Candidate[] } | { field: string }

const NOTHING: Argument = { candidates: [] }
const API = '/api/v1/'

/** Returns what the next word of a tool may be; undefined when the words name none. */
export function toolArgument([tool, ...given]: readonly string[], terminal: Pick<Terminal, 'env'>): Argument | undefined {
  const [first] = given
  switch (tool) {
    case 'open':
      return openArgument(given)
    case 'api':
      if (given.length > 1) return NOTHING
      return { candidates: first === undefined ? named(METHODS) : pathsOf(first) }
    case 'login':
      return first === undefined ? { candidates: profilesOf(terminal).map(([name, url]) => [url, name]) } : NOTHING
    case 'profiles':
      return first === 'use' && given.length === 1 ? { candidates: profilesOf(terminal) } : NOTHING
    default:
      return undefined
  }
}

/** Returns the profiles by their names, with their addresses. */
export function profilesOf({ env }: Pick<Terminal, 'env'>): Candidate[] {
  const profiles = openProfiles(env)
  return profiles.names().map((name) => [name, readable(profiles, name)?.url ?? ''])
}

function openArgument([page, ...more]: readonly string[]): Argument {
  if (page === undefined) return { candidates: named(OPENED) }
  return more.length === 0 && (page === 'project' || page === 'submission') ? { field: `${page}_id` } : NOTHING
}

/** Returns the paths that `earshot api` can fill in: those that need no id but of the team and the project. */
function pathsOf(method: string): Candidate[] {
  return listOperations().flatMap(({ path, method: own, summary }) => {
    const word = path.replace(API, '').replaceAll(/\{(team|project)_id\}/g, '{$1}')
    return own === method.toUpperCase() && !word.includes('_id}') ? [[word, summary] as const] : []
  })
}

function named(words: readonly string[]): Candidate[] {
  return words.map((word) => [word, ''])
}
