import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from './errors.ts'
import { isServerOf, type PostmasterFile, readPostmasterFile, removePostmasterFile } from './postmaster-file.ts'

const POLL_MS = 10

/** A fast shutdown writes a checkpoint; an immediate one leaves that to the recovery of the next start, and loses nothing either. */
const STEPS = [
  { signal: 'SIGINT', share: 0.6 },
  { signal: 'SIGQUIT', share: 0.8 },
  { signal: 'SIGKILL', share: 1 },
] as const
const STOP_MS = 30_000

/** Stops a server with ever stronger signals, within `timeoutMs`; resolves when it is gone. */
export async function endServer(pid: number, isGone: () => boolean, timeoutMs = STOP_MS): Promise<void> {
  const startedAtMs = performance.now()
  for (const { signal, share } of STEPS) {
    if (isGone() || !sendSignal(pid, signal)) return
    const deadlineMs = startedAtMs + share * timeoutMs
    while (!isGone() && performance.now() < deadlineMs) await delay(POLL_MS)
  }
}

/** Stops the server that a killed service left running, and removes a dead server's file. Returns what the file said. */
export async function endOrphan(data: string, log: (line: string) => void): Promise<PostmasterFile | undefined> {
  const left = readPostmasterFile(data)
  if (left === undefined) return undefined
  if (isServerOf(data, left.pid)) {
    log(`stopping PostgreSQL (pid ${left.pid}), left running by a killed Earshot`)
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
