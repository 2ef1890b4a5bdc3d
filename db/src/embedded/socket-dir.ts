import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { giveTo } from './account.ts'
import type { ServerFiles } from './server-files.ts'

/** The end of the socket's file name; nothing listens on a TCP port. */
export const PORT = 5432

/** sockaddr_un holds 108 bytes on Linux and 104 on macOS, with the final NUL. */
const MAX_PATH_BYTES = 100

const TEMPORARY_PREFIX = 'earshot-postgresql-'

/** Creates a directory of mode 0700 for the socket: beside the cluster, or in the temporary directory when that path is too long for a socket. */
export function makeSocketDir(files: ServerFiles): string {
  const near = join(files.directory, 'socket')
  if (fits(near)) {
    mkdirSync(near, { recursive: true, mode: 0o700 })
    giveTo(files.account, near)
    return near
  }
  // Root's temporary directory may be closed to the account that PostgreSQL runs as.
  const base = files.account === undefined && fits(join(tmpdir(), `${TEMPORARY_PREFIX}XXXXXX`)) ? tmpdir() : '/tmp'
  const directory = mkdtempSync(join(base, TEMPORARY_PREFIX))
  giveTo(files.account, directory)
  return directory
}

/**
 * Empties the socket directory before a start, when the last server is known to be gone: PostgreSQL would take a
 * left-over socket lock for a living server's if another process got its pid.
 */
export function clearSocketDir(directory: string, files: ServerFiles): void {
  if (!existsSync(directory)) {
    mkdirSync(directory, { mode: 0o700 })
    giveTo(files.account, directory)
  }
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { force: true })
}

/** Removes a socket directory in the temporary directory; the one beside the cluster stays. */
export function removeSocketDir(directory: string): void {
  if (basename(directory).startsWith(TEMPORARY_PREFIX)) rmSync(directory, { recursive: true, force: true })
}

function fits(directory: string): boolean {
  // PostgreSQL parses the setting as a list with commas, quotes and a leading @.
  const plain = /^[\w./-]+$/.test(directory)
  return plain && Buffer.byteLength(join(directory, `.s.PGSQL.${PORT}`)) <= MAX_PATH_BYTES
}
