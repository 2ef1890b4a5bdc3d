import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Account, accountCan, findAccount, giveTo, giveTreeTo } from './account.ts'
import { EmbeddedPostgresError } from './errors.ts'

const DIRECTORY_NAME = 'postgresql'
const POINTER_NAME = 'postgresql.location'
const SHARED_ROOT = '/var/lib/earshot'

/** What the embedded PostgreSQL keeps in a directory of its own: the cluster, its password, its log, its socket. */
export interface ServerFiles {
  directory: string
  /** PGDATA. */
  data: string
  passwordFile: string
  logFile: string
  /** The account that owns the directory and runs PostgreSQL. */
  account: Account
}

/** Creates the data directory unless it exists, and returns its real path. */
export function openDataDir(dataDir: string): string {
  // PostgreSQL's account must pass through root's data directory; nobody may list it.
  mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  return realpathSync(dataDir)
}

/** Finds the server's files of a data directory, or creates an empty directory for them where PostgreSQL's account can reach it. */
export async function openServerFiles(dataDir: string): Promise<ServerFiles> {
  const known = findServerFiles(dataDir)
  const account = known?.account ?? (await findAccount())
  if (known !== undefined) {
    // Root created it and was interrupted, or root restored it from a backup.
    if (known.account === undefined) giveTreeTo(account, known.directory)
    return { ...known, account }
  }
  const reachable = account === undefined || (await accountCan(account, 'cd "$1"', dataDir))
  const directory = reachable ? join(dataDir, DIRECTORY_NAME) : makeSharedDirectory(dataDir)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  giveTo(account, directory)
  return describeFiles(directory, account)
}

/** Returns the server's files of a data directory, or undefined if it was never started. */
export function findServerFiles(dataDir: string): ServerFiles | undefined {
  const pointer = join(dataDir, POINTER_NAME)
  const directory = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : join(dataDir, DIRECTORY_NAME)
  const owner = statSync(directory, { throwIfNoEntry: false })
  if (owner === undefined) {
    if (!existsSync(pointer)) return undefined
    throw new EmbeddedPostgresError(`The database ${directory}, to which ${pointer} points, is missing.`)
  }
  const ownUid = process.getuid?.()
  if (ownUid === owner.uid) return describeFiles(directory, undefined)
  // Root runs the server as the user who created the cluster.
  if (ownUid === 0) return describeFiles(directory, { uid: owner.uid, gid: owner.gid })
  throw new EmbeddedPostgresError(`The database ${directory} belongs to the user with id ${owner.uid}: start as that user or as root.`)
}

/** Whether the server's files lie outside the data directory, where a copy of the data directory could name them too. */
export function isShared(files: ServerFiles, dataDir: string): boolean {
  return files.directory !== join(dataDir, DIRECTORY_NAME)
}

function makeSharedDirectory(dataDir: string): string {
  mkdirSync(SHARED_ROOT, { recursive: true, mode: 0o711 })
  const directory = join(SHARED_ROOT, createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16))
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(join(dataDir, POINTER_NAME), `${directory}\n`, { mode: 0o644, flush: true })
  return directory
}

function describeFiles(directory: string, account: Account): ServerFiles {
  return {
    directory,
    data: join(directory, 'data'),
    passwordFile: join(directory, 'password'),
    logFile: join(directory, 'server.log'),
    account,
  }
}
