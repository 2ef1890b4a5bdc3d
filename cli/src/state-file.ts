import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** A file with what a later run needs. Only its owner can read it. */
export interface StateFile {
  /** Returns its JSON; undefined if there is none, or it cannot be read. */
  read: () => unknown
  write: (value: object) => void
  remove: () => void
}

/** Opens a state file in XDG_STATE_HOME or ~/.local/state (XDG Base Directory Specification), or LOCALAPPDATA on Windows. */
export function openStateFile(env: Environment, name: string): StateFile {
  const path = join(folderOf(env), `${name}.json`)
  return {
    read: () => readJson(path),
    write: (value) => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // Written whole, then renamed: a killed run leaves the previous file.
      writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(value)}\n`, { mode: 0o600 })
      renameSync(`${path}.${process.pid}`, path)
    },
    remove: () => rmSync(path, { force: true }),
  }
}

/** Removes the state files whose name has a prefix and whose content is of no more use. */
export function sweepStateFiles(env: Environment, prefix: string, isObsolete: (content: unknown) => boolean): void {
  const files = namesIn(folderOf(env)).filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
  for (const path of files.map((name) => join(folderOf(env), name))) if (isObsolete(readJson(path))) rmSync(path, { force: true })
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

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
