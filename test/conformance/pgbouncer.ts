import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseAddress } from '@earshot/db'
import { startDatabaseProxy } from '../support/database-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { isListening } from '../support/is-listening.ts'
import { until } from '../support/until.ts'
import { installDebian } from './debian.ts'

const PROGRAM = '/usr/sbin/pgbouncer'
/** PgBouncer does not run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 }
const MODES = ['session', 'transaction', 'statement'] as const
const POOL_SIZE = 60

export interface PgBouncer extends AsyncDisposable {
  /** The value for `DATABASE_URL` that is pooled in this mode. */
  urlOf: (mode: (typeof MODES)[number]) => string
  output: () => string
}

/** Resolves to what is missing, or null. */
export async function installPgBouncer(): Promise<string | null> {
  if (!existsSync(PROGRAM)) await installDebian('pgbouncer')
  return existsSync(PROGRAM) ? null : 'PgBouncer is needed (on Debian: apt install pgbouncer)'
}

/** Starts PgBouncer in front of a PostgreSQL, with its own settings but for the size of the pools. */
export async function startPgBouncer(address: DatabaseAddress): Promise<PgBouncer> {
  // The user that PgBouncer runs as may not open PostgreSQL's socket.
  const proxy = await startDatabaseProxy(address)
  const { hostname, port, username, password, pathname } = new URL(proxy.url)
  const target = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)} dbname=${pathname.slice(1)}`
  const ownPort = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'earshot-pgbouncer-'))
  const file = join(directory, 'pgbouncer.ini')
  const settings = [
    'listen_addr = 127.0.0.1',
    `listen_port = ${ownPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    `default_pool_size = ${POOL_SIZE}`,
  ]
  writeFileSync(
    file,
    ['[databases]', ...MODES.map((mode) => `${mode} = ${target} pool_mode=${mode}`), '[pgbouncer]', ...settings, ''].join('\n'),
  )
  chmodSync(directory, 0o755)
  const child = spawn(PROGRAM, [file], { ...(process.getuid?.() === 0 && NOBODY), stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const stop = async () => {
    child.kill('SIGTERM')
    await closed
    await proxy[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true })
  }
  await until('PgBouncer listens', () => child.exitCode !== null || isListening(ownPort)).catch(async (error) => {
    await stop()
    throw error
  })
  return {
    urlOf: (mode) => `postgres://${username}@127.0.0.1:${ownPort}/${mode}`,
    output: () => printed,
    [Symbol.asyncDispose]: stop,
  }
}
