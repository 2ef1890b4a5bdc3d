import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { giveTo } from './account.ts'
import type { House } from './server-files.ts'

/** The socket's file name ends in it; nothing listens on a TCP port. */
export const PORT = 5432

/** sockaddr_un holds 108 bytes on Linux and 104 on macOS, with the final NUL. */
const MAX_PATH_BYTES = 100

const TEMPORARY_PREFIX = 'earshot-postgresql-'

/** A directory of mode 0700 for the socket: in the house, or in the temporary directory when the house's path is too long for a socket. */
export function makeSocketDir(house: House): string {
  const near = join(house.directory, 'socket')
  if (fits(near)) {
    mkdirSync(near, { recursive: true, mode: 0o700 })
    giveTo(house.account, near)
    return near
  }
  // Root's temporary directory may be closed to the account that PostgreSQL runs as.
  const base = house.account === undefined && fits(join(tmpdir(), `${TEMPORARY_PREFIX}XXXXXX`)) ? tmpdir() : '/tmp'
  const directory = mkdtempSync(join(base, TEMPORARY_PREFIX))
  giveTo(house.account, directory)
  return directory
}

/**
 * Empties the socket directory before a start, after the last server is known to be gone: PostgreSQL would take a
 * left-over socket lock for a living server's whenever its pid was given out again.
 */
export function clearSocketDir(directory: string, house: House): void {
  if (!existsSync(directory)) {
    mkdirSync(directory, { mode: 0o700 })
    giveTo(house.account, directory)
  }
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { force: true })
}

/** Removes a socket directory made in the temporary directory; the one in the house stays. */
export function removeSocketDir(directory: string): void {
  if (basename(directory).startsWith(TEMPORARY_PREFIX)) rmSync(directory, { recursive: true, force: true })
}

function fits(directory: string): boolean {
  // PostgreSQL reads the setting as a list that knows commas, quotes and a leading @.
  const plain = /^[\w./-]+$/.test(directory)
  return plain && Buffer.byteLength(join(directory, `.s.PGSQL.${PORT}`)) <= MAX_PATH_BYTES
}
