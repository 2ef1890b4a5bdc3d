import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { provideBinaries } from '../../db/src/embedded/binaries.ts'
import { openServerFiles, type ServerFiles } from '../../db/src/embedded/server-files.ts'
import { SERVER_ENVIRONMENT } from '../../db/src/embedded/settings.ts'
import { copyDataDir } from './copy-data-dir.ts'
import { freePort } from './free-port.ts'
import { makePreparedDataDir } from './prepared-data-dir.ts'
import { until } from './until.ts'

interface ReplicatedServer {
  /** Its address with the login role’s password. */
  url: string
  /** A superuser’s client. */
  sql: postgres.Sql
  /** Ends it at once, like a crash of its machine. */
  kill: () => Promise<void>
  /** Ends it at once and starts it again. */
  restart: () => Promise<void>
}

export interface PrimaryAndStandby {
  /** A commit on the primary waits until the standby has it. */
  primary: ReplicatedServer
  standby: ReplicatedServer
  /** Variables for a service on both servers, the primary first. */
  environment: { DATABASE_URL: string; EARSHOT_SECRET_KEY: string }
  [Symbol.asyncDispose]: () => Promise<void>
}

const COMMON = { listen_addresses: '127.0.0.1', unix_socket_directories: '', shared_buffers: '32MB', wal_level: 'replica' }

/** Starts a migrated primary with synchronous commit to a standby, both real PostgreSQL servers on TCP ports. */
export async function startPrimaryAndStandby(): Promise<PrimaryAndStandby> {
  await using stack = new AsyncDisposableStack()
  const files = await openServerFiles(stack.use(makePreparedDataDir()).path)
  const password = readFileSync(files.passwordFile, 'utf8').trim()
  const start = async (data: string, settings: Record<string, string>) => {
    const port = await freePort()
    const run = () => startServer(files, data, { ...COMMON, port: String(port), ...settings })
    let server = await run()
    const authority = `127.0.0.1:${port}`
    const sql = postgres({ ...{ host: '127.0.0.1', port, user: 'earshot', password, database: 'earshot' }, max: 2, onnotice: () => {} })
    const stop = (signal: NodeJS.Signals) => end(server, signal)
    stack.defer(() => stop('SIGQUIT'))
    stack.defer(() => sql.end({ timeout: 0 }))
    const accepts = () => until('it accepts connections', () => sql`select`.then(Boolean, () => false))
    await accepts()
    const restart = async () => {
      await stop('SIGQUIT')
      server = await run()
      await accepts()
    }
    return { authority, port, sql, stop, restart }
  }
  // The prepared files say wal_level=minimal, from which no standby starts: a start and a stop write the other level.
  const first = await start(files.data, {})
  await first.sql.end()
  await first.stop('SIGINT')
  const copy = join(files.directory, 'standby')
  copyDataDir(files.data, copy)
  writeFileSync(join(copy, 'standby.signal'), '')

  const primary = await start(files.data, { synchronous_standby_names: '*' })
  const source = `host=127.0.0.1 port=${primary.port} user=earshot password=${password}`
  const standby = await start(copy, { primary_conninfo: source })
  await until('the standby follows', async () => {
    const rows = await primary.sql`select from pg_stat_replication where sync_state = 'sync'`
    return rows.length === 1
  })
  const urlOf = (authority: string) => `postgres://earshot:${encodeURIComponent(password)}@${authority}/earshot`
  const describe = ({ authority, sql, stop, restart }: typeof primary): ReplicatedServer => ({
    ...{ url: urlOf(authority), sql, restart },
    kill: () => stop('SIGQUIT'),
  })
  const kept = stack.move()
  return {
    primary: describe(primary),
    standby: describe(standby),
    environment: {
      DATABASE_URL: `${urlOf(`${primary.authority},${standby.authority}`)}?target_session_attrs=read-write`,
      EARSHOT_SECRET_KEY: randomBytes(32).toString('base64'),
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function startServer(files: ServerFiles, data: string, settings: Record<string, string>): Promise<ChildProcess> {
  const { postgres: program } = await provideBinaries(files)
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return spawn(program, ['-D', data, ...parameters], {
    ...files.account,
    ...{ cwd: files.directory, env: SERVER_ENVIRONMENT, stdio: 'ignore' },
  })
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  server.kill(signal)
  await once(server, 'exit')
}
