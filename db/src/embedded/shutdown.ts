import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from './errors.ts'
import { isServerOf, type PostmasterFile, readPostmasterFile, removePostmasterFile } from './postmaster-file.ts'

const POLL_MS = 10

/** Fast shutdown writes a checkpoint; immediate shutdown leaves that to the recovery of the next start, and loses nothing either. */
const STEPS = [
  { signal: 'SIGINT', patienceMs: 20_000 },
  { signal: 'SIGQUIT', patienceMs: 5_000 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
] as const

/** Ends a server, ever less gently, and resolves when it is gone. */
export async function endServer(pid: number, isGone: () => boolean): Promise<void> {
  for (const { signal, patienceMs } of STEPS) {
    if (isGone() || !sendSignal(pid, signal)) return
    const deadlineMs = performance.now() + patienceMs
    while (!isGone() && performance.now() < deadlineMs) await delay(POLL_MS)
  }
}

/** Ends the server that a killed service left behind, and clears what a dead one left. Returns what that server said about itself. */
export async function endOrphan(data: string, log: (line: string) => void): Promise<PostmasterFile | undefined> {
  const left = readPostmasterFile(data)
  if (left === undefined) return undefined
  if (isServerOf(data, left.pid)) {
    log(`stopping the PostgreSQL (pid ${left.pid}) that an Earshot which was killed left running`)
    await endServer(left.pid, () => !isServerOf(data, left.pid))
  }
  removePostmasterFile(data)
  return left
}

export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false
    throw error
  }
}
