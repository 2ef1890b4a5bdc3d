import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { openPrivateFile, type PrivateFile } from './private-file.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Opens a file with what a later run needs, in XDG_STATE_HOME or ~/.local/state (XDG Base Directory Specification), or LOCALAPPDATA on Windows. */
export function openStateFile(env: Environment, name: string): PrivateFile {
  return openPrivateFile(join(folderOf(env), `${name}.json`))
}

/** Removes the state files whose name has a prefix and whose content is of no more use. */
export function sweepStateFiles(env: Environment, prefix: string, isObsolete: (content: unknown) => boolean): void {
  const names = namesIn(folderOf(env)).filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
  for (const file of names.map((name) => openPrivateFile(join(folderOf(env), name)))) if (isObsolete(file.read())) file.remove()
}

function folderOf(env: Environment): string {
  return join(env.XDG_STATE_HOME || env.LOCALAPPDATA || join(env.HOME || homedir(), '.local', 'state'), 'earshot')
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
