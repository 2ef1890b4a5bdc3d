import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** The position where the last run stopped, per service and team. */
export interface ListenState {
  /** Returns the cursor after the last handled event; undefined before the first run. */
  read: () => string | undefined
  write: (cursor: string) => void
}

/** Opens the state file in XDG_STATE_HOME or ~/.local/state (XDG Base Directory Specification), or LOCALAPPDATA on Windows. */
export function openListenState(env: Readonly<Record<string, string | undefined>>, stream: { url: string; team_id: string }): ListenState {
  const folder = env.XDG_STATE_HOME || env.LOCALAPPDATA || join(env.HOME || homedir(), '.local', 'state')
  const name = createHash('sha256').update(`${stream.url} ${stream.team_id}`).digest('hex').slice(0, 16)
  const path = join(folder, 'earshot', `listen-${name}.json`)
  return {
    read: () => readCursor(path),
    write: (cursor) => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // Written whole, then renamed: a killed run leaves the previous file.
      writeFileSync(`${path}.${process.pid}`, `${JSON.stringify({ ...stream, cursor })}\n`, { mode: 0o600 })
      renameSync(`${path}.${process.pid}`, path)
    },
  }
}

/** Returns undefined also for a file that cannot be read. */
function readCursor(path: string): string | undefined {
  try {
    const { cursor } = JSON.parse(readFileSync(path, 'utf8')) as { cursor?: unknown }
    return typeof cursor === 'string' ? cursor : undefined
  } catch {
    return undefined
  }
}
