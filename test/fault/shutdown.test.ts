import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { startReceiver } from '../support/receiver.ts'
import { openRemoteDatabase } from '../support/remote-database.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { publicSubmission } from './load.ts'

const WITHIN_MS = 25_000
const GENEROUS_MS = 120_000
const NAMESPACE = fileURLToPath(new URL('../jobs/namespace.sh', import.meta.url))
const RESOLVING = fileURLToPath(new URL('../support/resolving-process.ts', import.meta.url))
const UNSHARE = ['--user', '--map-root-user', '--net', '--mount']
const hasNamespaces =
  spawnSync('unshare', [...UNSHARE, 'sh', '-c', 'command -v ip && mount --bind /etc/hosts /etc/resolv.conf']).status === 0

test.concurrent('with a shutdown delay /readyz turns 503 first, and requests are served until the delay is over', {
  timeout: GENEROUS_MS,
}, async () => {
  await using remote = await openRemoteDatabase()
  await using service = await startService({ ...remote.environment, EARSHOT_SHUTDOWN_DELAY_SECONDS: '3' })
  const team = await makeTeam(remote.database)
  expect(await service.send('GET', '/readyz')).toMatchObject({ status: 200 })
  const startedAtMs = performance.now()
  process.kill(service.pid, 'SIGTERM')
  await until('it says that it is not ready', async () => (await service.send('GET', '/readyz')).status === 503)
  expect((await service.send('GET', '/readyz')).body.detail).toContain('shutting down')
  expect(await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })).toMatchObject({
    status: 201,
  })
  expect(await service.exit).toMatchObject({ code: 0 })
  expect(performance.now() - startedAtMs).toBeGreaterThan(3_000)
})

test.concurrent('SIGTERM ends the process within 25 s, with a stream, a request and a delivery that never end and a database that hangs', {
  timeout: GENEROUS_MS,
}, async () => {
  await using remote = await openRemoteDatabase()
  await using service = await startService({ ...remote.environment, EARSHOT_LOG_LEVEL: 'warn' })
  await using endless = await beginEndlessWork(service, await makeTeam(remote.database))
  remote.proxy.hold()
  await expectEnd(service)
  await remote.proxy.restore()
  expect(endless.receiver.requests.length).toBeGreaterThan(0)
})

test.concurrent('SIGTERM ends the process and its embedded PostgreSQL within 25 s, with work that never ends', {
  timeout: GENEROUS_MS,
}, async () => {
  await using dataDir = makePreparedDataDir()
  await using service = await startService({ EARSHOT_DATA_DIR: dataDir.path, EARSHOT_LOG_LEVEL: 'warn' })
  await using _endless = await beginEndlessWork(service, await dataDir.makeTeam())
  await using database = await dataDir.openDatabase()
  const sleeping = database.run('select pg_sleep(60)', []).catch((error: Error) => error.name)
  await expectEnd(service)
  expect(await sleeping).toBe('ApiError')
  expect(() => dataDir.serverPid()).toThrow('No PostgreSQL runs')
})

test.runIf(hasNamespaces)('a lookup of a name whose DNS is silent does not delay the exit', { timeout: GENEROUS_MS }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'earshot-exit-'))
  const command = [NAMESPACE, directory, process.execPath, '--disable-warning=ExperimentalWarning', RESOLVING]
  const { stdout } = await promisify(execFile)('unshare', [...UNSHARE, 'sh', ...command])
  // The resolver waits for four seconds.
  expect(Date.now() - Number(stdout)).toBeLessThan(2_000)
  rmSync(directory, { recursive: true })
})

/** A stream, a request whose body never ends, and a delivery without a response. */
async function beginEndlessWork(service: ServiceProcess, team: Team) {
  const receiver = await startReceiver(() => {})
  await service.client(team.token).webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  await once(socket, 'connect')
  const path = `/api/public/v1/projects/${team.publicKey}/submissions/`
  socket.write(`POST ${path} HTTP/1.1\r\nHost: earshot\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"body"`)
  const stream = await fetch(`${service.url}/api/v1/teams/${team.id}/events/stream/`, {
    headers: { authorization: `Bearer ${team.token}` },
  })
  expect(stream.status).toBe(200)
  await service.send('POST', path, { body: publicSubmission() })
  await until('the delivery is in flight', () => receiver.requests.length === 1)
  return {
    receiver,
    async [Symbol.asyncDispose]() {
      socket.destroy()
      await stream.body?.cancel().catch(() => {})
      await receiver[Symbol.asyncDispose]()
    },
  }
}

async function expectEnd(service: ServiceProcess): Promise<void> {
  const startedAtMs = performance.now()
  const { code } = await service.stop('SIGTERM')
  const tookMs = performance.now() - startedAtMs
  console.log(`ended ${Math.round(tookMs)} ms after SIGTERM`)
  expect(code).toBe(0)
  expect(tookMs).toBeLessThan(WITHIN_MS)
}
