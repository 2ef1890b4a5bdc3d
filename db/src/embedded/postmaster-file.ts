import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from './errors.ts'
import { readCommandLine, readStartTime } from './processes.ts'

export interface PostmasterFile {
  pid: number
  socketDir: string
  isReady: boolean
}

/** What the server says about itself in `postmaster.pid`, one fact a line (miscadmin.h, LOCK_FILE_LINE_*). */
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

/** True while the process lives and is the server of this very cluster, not one that was given a dead server's pid. */
export function isServerOf(data: string, pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && readStartTime(pid) !== undefined && (readCommandLine(pid)?.includes(`-D ${data} `) ?? false)
}

/**
 * Removes the file of a dead server. PostgreSQL does so itself unless some other process was given the pid: then it refuses to start.
 * Left-over backends are found without it, by the shared memory that belongs to the data directory.
 */
export function removePostmasterFile(data: string): void {
  rmSync(postmasterPath(data), { force: true })
}

function postmasterPath(data: string): string {
  return join(data, 'postmaster.pid')
}
