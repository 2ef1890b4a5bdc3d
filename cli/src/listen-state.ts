import { createHash } from 'node:crypto'
import { openStateFile } from './state-file.ts'

/** The position where the last run stopped, per service and team. */
export interface ListenState {
  /** Returns the cursor after the last handled event; undefined before the first run. */
  read: () => string | undefined
  write: (cursor: string) => void
}

/** Opens the state of `earshot listen`. */
export function openListenState(env: Readonly<Record<string, string | undefined>>, stream: { url: string; team_id: string }): ListenState {
  const name = createHash('sha256').update(`${stream.url} ${stream.team_id}`).digest('hex').slice(0, 16)
  const file = openStateFile(env, `listen-${name}`)
  return {
    read: () => cursorIn(file.read()),
    write: (cursor) => file.write({ ...stream, cursor }),
  }
}

function cursorIn(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null || !('cursor' in state)) return undefined
  return typeof state.cursor === 'string' ? state.cursor : undefined
}
