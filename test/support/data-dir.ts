import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '@earshot/db'
import { connectEmbedded } from '@earshot/db/embedded'
import { isServerOf, readPostmasterFile } from '../../db/src/embedded/postmaster-file.ts'
import { findServerFiles } from '../../db/src/embedded/server-files.ts'
import { endOrphan } from '../../db/src/embedded/shutdown.ts'
import { copyDataDir } from './copy-data-dir.ts'
import { makeTeam, type Team } from './people.ts'

export interface DataDir {
  path: string
  /** The pid of PostgreSQL’s first process. */
  serverPid: () => number
  /** The pids of all its processes, the first one first. */
  serverPids: () => number[]
  /** Opens a pool beside the running service. */
  openDatabase: () => Promise<Database & AsyncDisposable>
  /** Makes a team in the running service’s database. */
  makeTeam: () => Promise<Team>
  /** Ends the server that a killed service left running, and removes everything. */
  [Symbol.asyncDispose]: () => Promise<void>
}

interface DataDirOptions {
  /** A data directory that no service uses; empty without one. */
  copyOf?: string
  /** The temporary directory if absent. */
  parent?: string
  mode?: number
  owner?: { uid: number; gid: number }
}

/** Makes a directory for one service's data. */
export function makeDataDir({ copyOf, parent = tmpdir(), mode = 0o711, owner }: DataDirOptions = {}): DataDir {
  const path = realpathSync(mkdtempSync(join(parent, 'earshot-fault-')))
  if (copyOf !== undefined) copyDataDir(`${copyOf}/.`, path)
  chmodSync(path, mode)
  if (owner) chownSync(path, owner.uid, owner.gid)
  return {
    path,
    serverPid: () => serverPid(path),
    serverPids: () => [serverPid(path), ...childrenOf(serverPid(path))],
    openDatabase: () => openBeside(path),
    async makeTeam() {
      await using database = await openBeside(path)
      return await makeTeam(database)
    },
    async [Symbol.asyncDispose]() {
      const files = findServerFiles(path)
      if (files) await endOrphan(files.data, () => {})
      if (files) rmSync(files.directory, { recursive: true, force: true })
      rmSync(path, { recursive: true, force: true })
    },
  }
}

async function openBeside(dataDir: string): Promise<Database & AsyncDisposable> {
  const address = await connectEmbedded({ dataDir })
  if (!address) throw new Error(`No service runs on ${dataDir}`)
  const database = openDatabase({ address, role: 'earshot_worker', poolSize: 2, applicationName: 'earshot fault test' })
  return { ...database, [Symbol.asyncDispose]: database.close }
}

function serverPid(dataDir: string): number {
  const files = findServerFiles(dataDir)
  const server = files && readPostmasterFile(files.data)
  if (!files || !server || !isServerOf(files.data, server.pid)) throw new Error(`No PostgreSQL runs on ${dataDir}`)
  return server.pid
}

function childrenOf(pid: number): number[] {
  const printed = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return printed.trim().split(/\s+/).map(Number)
}
