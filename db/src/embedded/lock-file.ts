import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DataDirInUseError, errorCode } from './errors.ts'
import { readStartTime } from './processes.ts'

const LOCK_NAME = 'earshot.lock'

interface Claim {
  pid: number
  startTime: string
  id: string
}

interface Walk {
  /** The path at which the walk ended: the living holder's file, or a free name. */
  path: string
  holder: Claim | undefined
  passed: string[]
}

export interface DataDirLock {
  /** Releases the directory; synchronous, so that it can run when the process exits. */
  release(): void
}

/**
 * Acquires the lock of a data directory. Throws `DataDirInUseError` while its holder lives.
 *
 * A dead holder's file is never removed to make room: two starting processes could each remove the other's. Instead the next
 * claim is linked (atomic, fails if it exists) under a name that contains the dead claim's id. The last claim in the chain of
 * dead claims holds the lock, and shortens the chain by renaming itself over the first file. A process that read the chain
 * just before sees that in its second walk, and withdraws its claim.
 */
export function acquireLock(directory: string): DataDirLock {
  const claim = { pid: process.pid, startTime: readStartTime(process.pid) ?? '', id: randomUUID() }
  const draft = join(directory, `${LOCK_NAME}.draft-${claim.id}`)
  writeDurably(draft, `${JSON.stringify(claim)}\n`)
  try {
    let acquired = false
    while (!acquired) acquired = tryAcquire(directory, claim, draft)
  } finally {
    rmSync(draft, { force: true })
  }
  return { release: () => releaseLock(directory, claim) }
}

/** Returns the pid of the living process that holds the directory's lock. */
export function readLockHolder(directory: string): number | undefined {
  return walkClaims(directory).holder?.pid
}

function tryAcquire(directory: string, claim: Claim, draft: string): boolean {
  const { path, holder, passed } = walkClaims(directory)
  if (holder !== undefined) throw new DataDirInUseError(holder.pid, directory)
  if (!linkIfAbsent(draft, path)) return false
  const confirmed = walkClaims(directory).holder?.id === claim.id
  if (!confirmed) {
    rmSync(path, { force: true })
    return false
  }
  const [first, ...rest] = passed
  if (first !== undefined) renameSync(path, first)
  for (const dead of rest) rmSync(dead, { force: true })
  return true
}

function walkClaims(directory: string): Walk {
  const passed: string[] = []
  let path = join(directory, LOCK_NAME)
  for (;;) {
    const claim = readClaim(path)
    if (claim === undefined || isAlive(claim)) return { path, holder: claim, passed }
    passed.push(path)
    path = join(directory, `${LOCK_NAME}.after-${claim.id}`)
  }
}

function readClaim(path: string): Claim | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    // Only this module writes the file; a file that a power cut truncated is a dead claim.
    const claim = JSON.parse(text) as Partial<Claim>
    return { pid: Number(claim.pid), startTime: String(claim.startTime), id: String(claim.id) }
  } catch {
    return { pid: 0, startTime: '', id: 'unreadable' }
  }
}

function isAlive(claim: Claim): boolean {
  return claim.startTime !== '' && readStartTime(claim.pid) === claim.startTime
}

function linkIfAbsent(existing: string, path: string): boolean {
  try {
    linkSync(existing, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

function releaseLock(directory: string, claim: Claim): void {
  const path = join(directory, LOCK_NAME)
  if (readClaim(path)?.id === claim.id) rmSync(path, { force: true })
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
