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
  /** Where the walk ended: the living holder's file, or the free place. */
  place: string
  holder: Claim | undefined
  passed: string[]
}

export interface DataDirLock {
  /** Gives the directory free; synchronous, so that it can run when the process exits. */
  release(): void
}

/**
 * Takes the one lock of a data directory, or throws `DataDirInUseError` while its holder lives.
 *
 * A dead holder's file is never removed to make room, for two starters could each remove the other's. Instead the next
 * claim is linked (atomic, fails when present) under a name that only the dead claim's id gives. Whoever ends the chain of dead
 * claims holds the lock, and shortens the chain by renaming its own claim over the first file. A starter that read the chain
 * just before sees that in its second walk, and takes its claim back.
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

/** The pid of the living process that holds the directory's lock. */
export function readLockHolder(directory: string): number | undefined {
  return walkClaims(directory).holder?.pid
}

function tryAcquire(directory: string, claim: Claim, draft: string): boolean {
  const { place, holder, passed } = walkClaims(directory)
  if (holder !== undefined) throw new DataDirInUseError(holder.pid, directory)
  if (!linkIfAbsent(draft, place)) return false
  const confirmed = walkClaims(directory).holder?.id === claim.id
  if (!confirmed) {
    rmSync(place, { force: true })
    return false
  }
  const [first, ...rest] = passed
  if (first !== undefined) renameSync(place, first)
  for (const path of rest) rmSync(path, { force: true })
  return true
}

function walkClaims(directory: string): Walk {
  const passed: string[] = []
  let place = join(directory, LOCK_NAME)
  for (;;) {
    const claim = readClaim(place)
    if (claim === undefined || isAlive(claim)) return { place, holder: claim, passed }
    passed.push(place)
    place = join(directory, `${LOCK_NAME}.after-${claim.id}`)
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
    // Only this module writes the file; what a power cut left of it is a dead claim.
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
