import { provideBinaries } from './binaries.ts'
import { describeConnection, type EmbeddedConnection, ensureDatabase } from './connection.ts'
import { dataDirError } from './errors.ts'
import { initialiseCluster } from './initialise.ts'
import { acquireLock } from './lock-file.ts'
import { launchServer, type ServerExit } from './server.ts'
import { isShared, openDataDir, openServerFiles, type ServerFiles } from './server-files.ts'
import { endOrphan } from './shutdown.ts'
import { clearSocketDir, makeSocketDir, removeSocketDir } from './socket-dir.ts'
import { superviseServer } from './supervisor.ts'

export interface EmbeddedPostgresOptions {
  /** Created if missing. */
  dataDir: string
  log?: (line: string) => void
  /** Called when the server exits unexpectedly; it is restarted on the same socket. */
  onExit?: (exit: ServerExit) => void
}

export interface EmbeddedPostgres {
  connection: EmbeddedConnection
  /** The server's pid; undefined while it restarts. */
  pid(): number | undefined
  /** Stops the server, within 30 seconds unless given, and releases the data directory. */
  stop(limits?: Limits): Promise<void>
}

interface Limits {
  timeoutMs: number
}

type Undo = (limits?: Limits) => void | Promise<void>

/**
 * Starts PostgreSQL in the data directory, creates the cluster and the database on the first start, and keeps the server running
 * until `stop`. Throws `DataDirInUseError` while another process uses the directory, and `EmbeddedPostgresError` for what the operator can fix.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const undos: Undo[] = []
  let stopped: Promise<void> | undefined
  const stop = (limits?: Limits) => {
    stopped ??= runInReverse(undos, limits)
    return stopped
  }
  try {
    return { ...(await start(options, undos)), stop }
  } catch (error) {
    await stop()
    throw dataDirError(error, options.dataDir)
  }
}

async function runInReverse(undos: readonly Undo[], limits: Limits | undefined): Promise<void> {
  for (const undo of undos.toReversed()) await undo(limits)
}

/** Each step pushes the function that undoes it. */
async function start(options: EmbeddedPostgresOptions, undos: Undo[]): Promise<Omit<EmbeddedPostgres, 'stop'>> {
  const { log = () => {}, onExit } = options
  const dataDir = openDataDir(options.dataDir)
  const lock = acquireLock(dataDir)
  undos.push(lock.release)
  const files = await openServerFiles(dataDir)
  if (isShared(files, dataDir)) undos.push(acquireLock(files.directory).release)
  const binaries = await provideBinaries(files)
  await initialiseCluster(files, binaries)
  const orphan = await endOrphan(files.data, log)
  if (orphan !== undefined) removeSocketDir(orphan.socketDir)
  const socketDir = makeSocketDir(files)
  undos.push(() => removeSocketDir(socketDir))
  const launch = async () => {
    await prepareLaunch(files, socketDir, log)
    return launchServer(files, binaries, socketDir)
  }
  const supervisor = await superviseServer({ launch, log, onExit })
  const onProcessExit = () => {
    // An exit without `stop` should leave no orphan behind.
    supervisor.signalStop()
    lock.release()
  }
  process.once('exit', onProcessExit)
  undos.push(supervisor.stop, () => void process.off('exit', onProcessExit))
  const connection = describeConnection(files, socketDir)
  await ensureDatabase(connection)
  return { connection, pid: supervisor.pid }
}

async function prepareLaunch(files: ServerFiles, socketDir: string, log: (line: string) => void): Promise<void> {
  await endOrphan(files.data, log)
  clearSocketDir(socketDir, files)
}
