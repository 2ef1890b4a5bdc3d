import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { connectEmbedded } from '../../db/src/embedded/connect.ts'
import { DataDirInUseError, EmbeddedPostgresError } from '../../db/src/embedded/errors.ts'
import {
  cleanUp,
  copyCheckout,
  EMBEDDED,
  isAlive,
  killAndWait,
  makeDataDir,
  makeUsedDataDir,
  nextLine,
  query,
  runScript,
  start,
  startInChild,
} from './clusters.ts'

const IS_ROOT = process.getuid?.() === 0

afterEach(cleanUp)

test('the first start creates a cluster behind a private socket, and the next one finds its rows', async () => {
  const dataDir = makeDataDir()
  const first = await start({ dataDir })
  const facts = await query(
    first.connection,
    `select current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync, current_setting('timezone') as timezone,
            datlocprovider as provider, datlocale as locale, pg_encoding_to_char(encoding) as encoding
     from pg_database where datname = 'earshot'`,
  )
  expect(facts).toEqual([{ addresses: '', fsync: 'on', timezone: 'UTC', provider: 'b', locale: 'C.UTF-8', encoding: 'UTF8' }])
  expect(statSync(first.connection.host).mode & 0o777).toBe(0o700)
  expect(statSync(join(dataDir, 'postgresql/password')).mode & 0o777).toBe(0o600)
  await expect(query({ ...first.connection, password: 'wrong' }, 'select 1')).rejects.toMatchObject({ code: '28P01' })
  await query(first.connection, 'create table kept as select 1 as id')
  const firstPid = first.pid() ?? 0
  await first.stop()
  expect(isAlive(firstPid)).toBe(false)

  const second = await start({ dataDir })
  expect(await query(second.connection, 'select id from kept')).toEqual([{ id: 1 }])
})

test('the server runs in a session of its own, so that Ctrl-C at the terminal does not reach it', async () => {
  const { pid } = await start({ dataDir: makeUsedDataDir() })
  expect(Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(pid())]))).toBe(pid())
})

test('a second live service on the data directory is refused with one line, and the first keeps running', async () => {
  const dataDir = makeUsedDataDir()
  const first = await start({ dataDir })
  const refusal = start({ dataDir })
  await expect(refusal).rejects.toThrow(DataDirInUseError)
  await expect(refusal).rejects.toThrow(`Another Earshot (pid ${process.pid}) already uses the data directory ${dataDir}.`)
  expect(await query(first.connection, 'select 1 as id')).toEqual([{ id: 1 }])
  await first.stop()
  await start({ dataDir })
})

test('of many services that find a stale lock at once exactly one takes it', async () => {
  const dataDir = makeDataDir()
  for (let round = 0; round < 3; round += 1) {
    writeFileSync(join(dataDir, 'earshot.lock'), JSON.stringify({ pid: process.pid, startTime: 'of an earlier process', id: 'gone' }))
    const script = `
      import { acquireLock } from '${EMBEDDED}lock-file.ts'
      process.stdout.write('up\\n')
      process.stdin.once('data', () => {
        try { acquireLock('${dataDir}'); console.log('held') } catch (error) { console.log(error.name) }
      })
    `
    const starters = Array.from({ length: 6 }, () => runScript(script))
    await Promise.all(starters.map((starter) => nextLine(starter)))
    const outcomes = starters.map((starter) => nextLine(starter))
    for (const starter of starters) starter.stdin?.write('go\n')
    expect((await Promise.all(outcomes)).sort()).toEqual([...Array.from({ length: 5 }, () => 'DataDirInUseError'), 'held'])
    await Promise.all(starters.map(killAndWait))
    expect(readdirSync(dataDir).filter((name) => !name.startsWith('earshot.lock'))).toEqual([])
  }
})

test('a truncated lock file does not prevent the start', async () => {
  const dataDir = makeUsedDataDir()
  writeFileSync(join(dataDir, 'earshot.lock'), '')
  await start({ dataDir })
})

test('a server killed by -9 is restarted on the same socket and loses nothing acknowledged', async () => {
  const exits: unknown[] = []
  const cluster = await start({ dataDir: makeUsedDataDir(), onExit: (exit) => exits.push(exit) })
  await query(cluster.connection, 'create table kept as select 1 as id')
  const killedPid = cluster.pid() ?? 0
  process.kill(killedPid, 'SIGKILL')
  await vi.waitFor(async () => expect(await query(cluster.connection, 'select id from kept')).toEqual([{ id: 1 }]), 10_000)
  expect(exits).toEqual([{ code: null, signal: 'SIGKILL' }])
  expect(cluster.pid()).not.toBe(killedPid)
})

test('a stop while a killed server is being restarted ends it for good', async () => {
  const exits: unknown[] = []
  const cluster = await start({ dataDir: makeUsedDataDir(), onExit: (exit) => exits.push(exit) })
  process.kill(cluster.pid() ?? 0, 'SIGKILL')
  await vi.waitFor(() => expect(exits).toHaveLength(1), { timeout: 10_000, interval: 5 })
  await cluster.stop()
  expect(cluster.pid()).toBeUndefined()
})

test.each([
  { what: 'the service', killsServer: false },
  { what: 'the service and its server', killsServer: true },
])('after kill -9 of $what the next start finds every row', async ({ killsServer }) => {
  const dataDir = makeUsedDataDir()
  const service = await startInChild(dataDir)
  await query(service.connection, 'create table kept as select 1 as id')
  await killAndWait(service.child)
  expect(isAlive(service.serverPid)).toBe(true)
  if (killsServer) process.kill(service.serverPid, 'SIGKILL')

  const next = await start({ dataDir })
  expect(await query(next.connection, 'select id from kept')).toEqual([{ id: 1 }])
  expect(next.pid()).not.toBe(service.serverPid)
  expect(isAlive(service.serverPid)).toBe(false)
})

test('a service that exits without a stop ends its server', async () => {
  const service = await startInChild(makeUsedDataDir())
  service.child.stdin?.write('exit\n')
  await once(service.child, 'exit')
  await vi.waitFor(() => expect(isAlive(service.serverPid)).toBe(false), 10_000)
})

test('a pid file that names another live process does not prevent the start', async () => {
  const dataDir = makeUsedDataDir()
  await (await start({ dataDir })).stop()
  writeFileSync(join(dataDir, 'postgresql/data/postmaster.pid'), `${process.pid}\n\n\n\n\n\n\nready\n`)
  await start({ dataDir })
  expect(isAlive(process.pid)).toBe(true)
})

test('a data directory whose path is too long for a socket works, and leaves nothing in the temporary directory', async () => {
  const dataDir = join(makeDataDir(), 'a-long-name-'.repeat(15))
  const cluster = await start({ dataDir })
  expect(await query(cluster.connection, 'select 1 as id')).toEqual([{ id: 1 }])
  expect(cluster.connection.host.startsWith(dataDir)).toBe(false)
  expect(statSync(cluster.connection.host).mode & 0o777).toBe(0o700)
  await cluster.stop()
  expect(existsSync(cluster.connection.host)).toBe(false)
})

test('a command finds the running service’s database without its lock, and nothing when no service lives', async () => {
  const dataDir = makeDataDir()
  expect(await connectEmbedded({ dataDir: join(dataDir, 'absent') })).toBeNull()
  expect(await connectEmbedded({ dataDir })).toBeNull()
  const service = await startInChild(dataDir)
  const connection = await connectEmbedded({ dataDir })
  expect(connection).toEqual(service.connection)
  await killAndWait(service.child)
  expect(await connectEmbedded({ dataDir })).toBeNull()
  await start({ dataDir })
})

test('a command that comes while the service is still starting waits for its database', async () => {
  const dataDir = makeDataDir()
  const starting = start({ dataDir })
  const locked = vi.waitFor(() => expect(existsSync(join(dataDir, 'earshot.lock'))).toBe(true))
  await locked
  const found = await connectEmbedded({ dataDir })
  expect(found).toEqual((await starting).connection)
})

test('problems that the operator can fix are reported in one line', async () => {
  const dataDir = makeUsedDataDir()
  writeFileSync(join(dataDir, 'file'), '')
  await expectOneLine(start({ dataDir: join(dataDir, 'file', 'data') }), /cannot be used: a part of the path is not a directory/)
  await (await start({ dataDir })).stop()

  const data = join(dataDir, 'postgresql/data')
  writeFileSync(join(data, 'PG_VERSION'), '17\n')
  await expectOneLine(start({ dataDir }), /holds a PostgreSQL 17 cluster, but this Earshot brings PostgreSQL 18/)
  writeFileSync(join(data, 'PG_VERSION'), '18\n')
  rmSync(join(data, 'global/pg_control'))
  await expectOneLine(start({ dataDir }), /PostgreSQL did not start: .+ \(see .+server\.log\)/)
})

test('root’s data directory that the server’s account cannot reach keeps its cluster under /var/lib', async ({ skip }) => {
  skip(!IS_ROOT, 'only root starts the server as another user')
  const dataDir = makeDataDir()
  chmodSync(dataDir, 0o700)
  const cluster = await start({ dataDir })
  await query(cluster.connection, 'create table kept as select 1 as id')
  expect(cluster.connection.host).toMatch(/^\/var\/lib\/earshot\/[0-9a-f]{16}\/socket$/)
  expect(await connectEmbedded({ dataDir })).toEqual(cluster.connection)
  await cluster.stop()
  const again = await start({ dataDir })
  expect(await query(again.connection, 'select id from kept')).toEqual([{ id: 1 }])
})

test('an ordinary user starts it, and root after that user', async ({ skip }) => {
  skip(!IS_ROOT, 'only root can become another user')
  const dataDir = makeDataDir()
  const nobody = { uid: 65_534, gid: 65_534 }
  chmodSync(dataDir, 0o777)
  const readable = spawn(process.execPath, ['-e', `require('fs').readFileSync('${EMBEDDED}cluster.ts')`], { ...nobody, stdio: 'ignore' })
  const [code] = await once(readable, 'exit')
  skip(code !== 0, 'another user cannot read this checkout')

  const service = await startInChild(join(dataDir, 'data'), nobody)
  const owners = ['data', 'data/postgresql', 'data/postgresql/password'].map((name) => statSync(join(dataDir, name)))
  expect(owners.map(({ uid, mode }) => [uid, mode & 0o777])).toEqual([
    [nobody.uid, 0o700],
    [nobody.uid, 0o700],
    [nobody.uid, 0o600],
  ])
  await query(service.connection, 'create table kept as select 1 as id')
  await killAndWait(service.child)
  const asRoot = await start({ dataDir: join(dataDir, 'data') })
  expect(await query(asRoot.connection, 'select id from kept')).toEqual([{ id: 1 }])
})

test('it starts from a checkout below a closed home, installed without install scripts', async () => {
  const home = makeDataDir()
  const { modules, embedded } = copyCheckout(home)
  expect(existsSync(join(modules, 'native/lib/libpq.so.5'))).toBe(false)
  chmodSync(join(home, 'closed'), 0o700)
  const service = await startInChild(join(home, 'data'), undefined, embedded)
  expect(await query(service.connection, 'select 1 as id')).toEqual([{ id: 1 }])
})

async function expectOneLine(start: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await start.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EmbeddedPostgresError)
  const text = error instanceof Error ? error.message : ''
  expect(text).toMatch(message)
  expect(text).not.toContain('\n')
}
