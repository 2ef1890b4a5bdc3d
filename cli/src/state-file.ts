import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** A file with what a later run needs. Only its owner can read it. */
export interface StateFile {
  /** Returns its JSON; undefined if there is none, or it cannot be read. */
  read: () => unknown
  write: (value: object) => void
  remove: () => void
}

/** Opens a state file in XDG_STATE_HOME or ~/.local/state (XDG Base Directory Specification), or LOCALAPPDATA on Windows. */
export function openStateFile(env: Readonly<Record<string, string | undefined>>, name: string): StateFile {
  const folder = env.XDG_STATE_HOME || env.LOCALAPPDATA || join(env.HOME || homedir(), '.local', 'state')
  const path = join(folder, 'earshot', `${name}.json`)
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

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
