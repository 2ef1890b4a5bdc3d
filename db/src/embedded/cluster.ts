import { provideBinaries } from './binaries.ts'
import { describeConnection, type EmbeddedConnection, ensureDatabase } from './connection.ts'
import { dataDirError } from './errors.ts'
import { initialiseCluster } from './initialise.ts'
import { acquireLock } from './lock-file.ts'
import { launchServer, type ServerExit } from './server.ts'
import { type House, isShared, openDataDir, openHouse } from './server-files.ts'
import { endOrphan } from './shutdown.ts'
import { clearSocketDir, makeSocketDir, removeSocketDir } from './socket-dir.ts'
import { superviseServer } from './supervisor.ts'

export interface EmbeddedPostgresOptions {
  /** Made when absent. */
  dataDir: string
  log?: (line: string) => void
  /** Told when the server exits unasked; it is started again by itself, on the same socket. */
  onExit?: (exit: ServerExit) => void
}

export interface EmbeddedPostgres {
  connection: EmbeddedConnection
  /** The server's pid now; undefined while it is started again. */
  pid(): number | undefined
  /** Stops the server and gives the data directory free. */
  stop(): Promise<void>
}

type Undo = () => void | Promise<void>

/**
 * Starts PostgreSQL in the data directory, making the cluster and the database on the first start, and keeps it running until `stop`.
 * Rejects with `DataDirInUseError` while another process uses the directory, with `EmbeddedPostgresError` for what the operator can mend.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const undos: Undo[] = []
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= runInReverse(undos)
    return stopped
  }
  try {
    return { ...(await start(options, undos)), stop }
  } catch (error) {
    await stop()
    throw dataDirError(error, options.dataDir)
  }
}

async function runInReverse(undos: readonly Undo[]): Promise<void> {
  for (const undo of undos.toReversed()) await undo()
}

/** Each step pushes what takes it back. */
async function start(options: EmbeddedPostgresOptions, undos: Undo[]): Promise<Omit<EmbeddedPostgres, 'stop'>> {
  const { log = () => {}, onExit } = options
  const dataDir = openDataDir(options.dataDir)
  const lock = acquireLock(dataDir)
  undos.push(lock.release)
  const house = await openHouse(dataDir)
  if (isShared(house, dataDir)) undos.push(acquireLock(house.directory).release)
  const binaries = await provideBinaries(house)
  await initialiseCluster(house, binaries)
  const orphan = await endOrphan(house.data, log)
  if (orphan !== undefined) removeSocketDir(orphan.socketDir)
  const socketDir = makeSocketDir(house)
  undos.push(() => removeSocketDir(socketDir))
  const launch = async () => {
    await prepareLaunch(house, socketDir, log)
    return launchServer(house, binaries, socketDir)
  }
  const supervisor = await superviseServer({ launch, log, onExit })
  const onProcessExit = () => {
    // An exit without `stop` leaves no orphan behind, as far as the process can help it.
    supervisor.signalStop()
    lock.release()
  }
  process.once('exit', onProcessExit)
  undos.push(supervisor.stop, () => void process.off('exit', onProcessExit))
  const connection = describeConnection(house, socketDir)
  await ensureDatabase(connection)
  return { connection, pid: supervisor.pid }
}

async function prepareLaunch(house: House, socketDir: string, log: (line: string) => void): Promise<void> {
  await endOrphan(house.data, log)
  clearSocketDir(socketDir, house)
}
