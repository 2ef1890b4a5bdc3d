import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from './errors.ts'
import { readCommandLine, readStartTime } from './processes.ts'

export interface PostmasterFile {
  pid: number
  socketDir: string
  isReady: boolean
}

/** Reads `postmaster.pid`, in which the server describes itself, one fact per line (miscadmin.h, LOCK_FILE_LINE_*). */
export function readPostmasterFile(data: string): PostmasterFile | undefined {
  let lines: string[]
  try {
    lines = readFileSync(postmasterPath(data), 'utf8').split('\n')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  return { pid: Number(lines[0]), socketDir: lines[4] ?? '', isReady: lines[7]?.trim() === 'ready' }
}

/** Whether the process lives and is the server of this cluster, not another process with a dead server's pid. */
export function isServerOf(data: string, pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && readStartTime(pid) !== undefined && (readCommandLine(pid)?.includes(`-D ${data} `) ?? false)
}

/**
 * Removes the file of a dead server. PostgreSQL does so itself unless another process got the pid: then it refuses to start.
 * PostgreSQL finds left-over backends without the file, by the shared memory that belongs to the data directory.
 */
export function removePostmasterFile(data: string): void {
  rmSync(postmasterPath(data), { force: true })
}

function postmasterPath(data: string): string {
  return join(data, 'postmaster.pid')
}
