import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Account, accountCan, findAccount, giveTo, giveTreeTo } from './account.ts'
import { EmbeddedPostgresError } from './errors.ts'

const HOUSE_NAME = 'postgresql'
const POINTER_NAME = 'postgresql.location'
const SHARED_ROOT = '/var/lib/earshot'

/** The directory that PostgreSQL's account owns: the cluster, its password, its log, its socket. */
export interface House {
  directory: string
  /** PGDATA. */
  data: string
  passwordFile: string
  logFile: string
  account: Account
}

/** The data directory's real path, made when absent. */
export function openDataDir(dataDir: string): string {
  // PostgreSQL's account must pass through root's data directory; nobody may list it.
  mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  return realpathSync(dataDir)
}

/** Finds the house of a data directory, or makes an empty one where PostgreSQL's account can reach it. */
export async function openHouse(dataDir: string): Promise<House> {
  const known = findHouse(dataDir)
  const account = known?.account ?? (await findAccount())
  if (known !== undefined) {
    // Root made it and was cut short, or root brought it back from a copy.
    if (known.account === undefined) giveTreeTo(account, known.directory)
    return { ...known, account }
  }
  const reachable = account === undefined || (await accountCan(account, 'cd "$1"', dataDir))
  const directory = reachable ? join(dataDir, HOUSE_NAME) : makeSharedHouse(dataDir)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  giveTo(account, directory)
  return describeHouse(directory, account)
}

/** The house of a data directory that was started before. */
export function findHouse(dataDir: string): House | undefined {
  const pointer = join(dataDir, POINTER_NAME)
  const directory = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : join(dataDir, HOUSE_NAME)
  const owner = statSync(directory, { throwIfNoEntry: false })
  if (owner === undefined) {
    if (!existsSync(pointer)) return undefined
    throw new EmbeddedPostgresError(`The database ${directory}, which ${pointer} names, is missing.`)
  }
  const ownUid = process.getuid?.()
  if (ownUid === owner.uid) return describeHouse(directory, undefined)
  // Root serves whoever made the cluster.
  if (ownUid === 0) return describeHouse(directory, { uid: owner.uid, gid: owner.gid })
  throw new EmbeddedPostgresError(`The database ${directory} belongs to the user with id ${owner.uid}: start as that user or as root.`)
}

/** True when the house lies outside the data directory, where a copy of the data directory could name it too. */
export function isShared(house: House, dataDir: string): boolean {
  return house.directory !== join(dataDir, HOUSE_NAME)
}

function makeSharedHouse(dataDir: string): string {
  mkdirSync(SHARED_ROOT, { recursive: true, mode: 0o711 })
  const directory = join(SHARED_ROOT, createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16))
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(join(dataDir, POINTER_NAME), `${directory}\n`, { mode: 0o644, flush: true })
  return directory
}

function describeHouse(directory: string, account: Account): House {
  return {
    directory,
    data: join(directory, 'data'),
    passwordFile: join(directory, 'password'),
    logFile: join(directory, 'server.log'),
    account,
  }
}
