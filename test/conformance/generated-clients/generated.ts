import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A client, with the pattern by which it declares an operation. */
export interface Generated {
  text: string
  declares: (operationId: string) => RegExp
}

interface Task {
  /** Path of the document. */
  document: string
  /** An empty folder for the client. */
  folder: string
  /** The folder above it, for tools. */
  home: string
  /** The address of the service, a token and the id of its team, for a tour. */
  environment: Record<string, string>
}

/** Generates and compiles a client, and takes the tour with it where no package of ours does. Resolves to it, or to the problem. */
export type Generator = (task: Task) => Promise<Generated | string>

/** Returns the operations that the client does not have. */
export function missingFrom({ text, declares }: Generated, operationIds: readonly string[]): string[] {
  return operationIds.filter((id) => !declares(id).test(text))
}

/** Returns the text of all files of a folder. */
export function textOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n')
}

/** Returns an operation's name in the style of Go: `SubmissionsList`. */
export function pascalCase(operationId: string): string {
  return operationId.replaceAll(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())
}

/** Returns the last lines of an output, as one. */
export function lastLines(output: string): string {
  return output.trim().split('\n').slice(-12).join(' | ')
}
