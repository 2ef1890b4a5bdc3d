import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Where the last run stopped, for each service and team. */
export interface ListenState {
  /** The cursor behind the last event that was dealt with; undefined at the first run. */
  read: () => string | undefined
  write: (cursor: string) => void
}

/** A file of the user's own: in XDG_STATE_HOME, else ~/.local/state (XDG Base Directory Specification), on Windows LOCALAPPDATA. */
export function openListenState(env: Readonly<Record<string, string | undefined>>, place: { url: string; team_id: string }): ListenState {
  const folder = env.XDG_STATE_HOME || env.LOCALAPPDATA || join(env.HOME || homedir(), '.local', 'state')
  const name = createHash('sha256').update(`${place.url} ${place.team_id}`).digest('hex').slice(0, 16)
  const path = join(folder, 'earshot', `listen-${name}.json`)
  return {
    read: () => readCursor(path),
    write: (cursor) => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // Renamed when it is whole: a run that is killed meanwhile leaves the one before.
      writeFileSync(`${path}.${process.pid}`, `${JSON.stringify({ ...place, cursor })}\n`, { mode: 0o600 })
      renameSync(`${path}.${process.pid}`, path)
    },
  }
}

/** A file that cannot be read is as good as none. */
function readCursor(path: string): string | undefined {
  try {
    const { cursor } = JSON.parse(readFileSync(path, 'utf8')) as { cursor?: unknown }
    return typeof cursor === 'string' ? cursor : undefined
  } catch {
    return undefined
  }
}
