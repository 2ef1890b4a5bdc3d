import { kebabCase } from '@earshot/contracts/constants'
import type { Operation } from './operation.ts'

const TEAM_AND_PROJECT = ['team_id', 'project_id']

/** The fields of an operation's path, as a command line takes them. */
export interface PathFields {
  /** The last id, a positional argument. */
  positional: string | undefined
  /** Ids of other parents, as flags: `webhook_id` is `--webhook`. */
  parents: readonly string[]
  needsTeam: boolean
  needsProject: boolean
}

/** Sorts the path fields. A team or project is positional only where the path ends in it; as a parent it has a default. */
export function pathFieldsOf({ path, pathFields }: Operation): PathFields {
  const fields = [...pathFields]
  const last = fields.at(-1)
  const positional = last && (!TEAM_AND_PROJECT.includes(last) || path.endsWith(`{${last}}/`)) ? last : undefined
  const isParent = (field: string) => field !== positional
  return {
    positional,
    parents: fields.filter((field) => isParent(field) && !TEAM_AND_PROJECT.includes(field)),
    needsTeam: pathFields.has('team_id') && isParent('team_id'),
    needsProject: pathFields.has('project_id') && isParent('project_id'),
  }
}

/** Returns `submission_id` as written on a command line: `<submission-id>` if positional, else `--submission`. */
export function writtenPathField(field: string, { positional }: PathFields): string {
  return field === positional ? `<${kebabCase(field)}>` : parentFlag(field)
}

export function parentFlag(field: string): string {
  return `--${kebabCase(field.replace(/_id$/, ''))}`
}
