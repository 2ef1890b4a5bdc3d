import type { Operation } from '@earshot/contracts'

const PLACES = ['team_id', 'project_id']

/** How a command line says the fields of an operation's path. */
export interface PathFields {
  /** The last id: a bare word. */
  positional: string | undefined
  /** Ids of parents, as flags: `webhook_id` is `--webhook`. */
  parents: readonly string[]
  needsTeam: boolean
  needsProject: boolean
}

/** A team or project is positional only where the path ends in it; as a parent it has a default. */
export function pathFieldsOf({ path, pathFields }: Operation): PathFields {
  const fields = [...pathFields]
  const last = fields.at(-1)
  const positional = last && (!PLACES.includes(last) || path.endsWith(`{${last}}/`)) ? last : undefined
  const isParent = (field: string) => field !== positional
  return {
    positional,
    parents: fields.filter((field) => isParent(field) && !PLACES.includes(field)),
    needsTeam: pathFields.has('team_id') && isParent('team_id'),
    needsProject: pathFields.has('project_id') && isParent('project_id'),
  }
}

/** `submission_id` as it is written in a command line: `<submission-id>` when positional, else `--submission`. */
export function writtenPathField(field: string, { positional }: PathFields): string {
  return field === positional ? `<${kebabCase(field)}>` : parentFlag(field)
}

export function parentFlag(field: string): string {
  return `--${kebabCase(field.replace(/_id$/, ''))}`
}

export function kebabCase(name: string): string {
  return name.replaceAll('_', '-')
}
