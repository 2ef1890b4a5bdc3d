import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { giveTo } from './account.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedPostgresError } from './errors.ts'
import { findFailureReason } from './failure-reason.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import type { ServerFiles } from './server-files.ts'
import { SERVER_ENVIRONMENT, serverArguments } from './settings.ts'

const POLL_MS = 10
const MAX_LOG_BYTES = 10 * 1024 * 1024

export interface ServerExit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** One run of the `postgres` program. */
export interface Server {
  pid: number
  /** Resolves when it accepts connections (after a crash: when recovery is done); rejects with the log's reason when it exits before. */
  ready: Promise<void>
  exited: Promise<ServerExit>
  hasExited(): boolean
}

/** Spawns the server in a process group of its own: Ctrl-C at the terminal reaches only the service, which drains before it stops the server. */
export function launchServer(files: ServerFiles, binaries: Binaries, socketDir: string): Server {
  const log = openLog(files)
  const logStart = fstatSync(log).size
  const child = spawn(binaries.postgres, serverArguments(files.data, socketDir), {
    ...files.account,
    cwd: files.directory,
    env: SERVER_ENVIRONMENT,
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    // Without a process there is no 'exit', only the error.
    child.once('error', () => resolve({ code: null, signal: null }))
  })
  const hasExited = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null
  const ready = waitUntilReady(files, child, hasExited, logStart)
  // A caller that waits for `ready` gets the error; a stop while nobody waits must not be an unhandled rejection.
  ready.catch(() => {})
  return { pid: child.pid ?? 0, ready, exited, hasExited }
}

async function waitUntilReady(files: ServerFiles, child: ChildProcess, hasExited: () => boolean, logStart: number): Promise<void> {
  // Without a time limit: recovery after a crash takes as long as it takes, and an exit ends the wait.
  while (!hasExited()) {
    const said = readPostmasterFile(files.data)
    if (said?.pid === child.pid && said?.isReady) return
    await delay(POLL_MS)
  }
  throw new EmbeddedPostgresError(`PostgreSQL did not start: ${readReason(files.logFile, logStart)}`)
}

function readReason(logFile: string, start: number): string {
  const output = readFileSync(logFile).subarray(start).toString()
  return `${findFailureReason(output)} (see ${logFile})`
}

function openLog(files: ServerFiles): number {
  const size = statSync(files.logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > MAX_LOG_BYTES) renameSync(files.logFile, `${files.logFile}.1`)
  const log = openSync(files.logFile, 'a', 0o600)
  giveTo(files.account, files.logFile)
  return log
}
