import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { createPerson } from './person.ts'
import { expectPrinted, isOfBackground, steady } from './printed-lines.ts'
import { readTour } from './readme.ts'
import { cleanEnvironment, openShell, type Shell, topFolder } from './shell.ts'

const [servicePort, receiverPort, appPort] = await Promise.all([freePort(), freePort(), freePort()])
/** The only thing that differs from the README: the ports, which may be taken. */
const tour = readTour((text) =>
  text
    .replaceAll('localhost:8000', `localhost:${servicePort}`)
    .replaceAll('127.0.0.1:9000', `127.0.0.1:${receiverPort}`)
    .replaceAll('127.0.0.1:9001', `127.0.0.1:${appPort}`),
)
const person = createPerson(`http://localhost:${servicePort}`)

const dataDir = mkdtempSync(join(tmpdir(), 'earshot-tour-'))
let service: ChildProcess
let shell: Shell

beforeAll(async () => {
  // The account that PostgreSQL runs as under root must reach it.
  chmodSync(dataDir, 0o711)
  service = run(tour.start, { PORT: String(servicePort), EARSHOT_DATA_DIR: dataDir })
  await untilReady(service)
  shell = openShell({ EARSHOT_DATA_DIR: dataDir }, person.hear)
})
afterAll(async () => {
  await shell?.close()
  await stop(service)
  rmSync(dataDir, { recursive: true, force: true })
})

test('the tour has its seven steps', () => {
  expect(tour.steps.map(({ title }) => title[0])).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
})

test('the section about signing in shows each kind of credential', () => {
  expect(tour.signIns.map(({ title }) => title[0])).toEqual(['0', '1', '2', '3', '4', '5'])
})

test.each([...tour.steps, ...tour.signIns])(
  'typed as printed, the README prints what it says: $title',
  { timeout: 90_000 },
  async ({ commands, printed }) => {
    const lines = await shell.type(commands)
    await person.isDone()
    expectPrinted(
      lines.filter((line) => !isOfBackground(line)),
      printed.filter((line) => !isOfBackground(line)),
    )
    const received = lines.filter(isOfBackground)
    const receive = () => {
      received.push(...shell.more())
      return received.map(steady)
    }
    await expect.poll(receive, { timeout: 20_000 }).toEqual(printed.filter(isOfBackground).map(steady))
  },
)

function run(command: string, environment: Record<string, string>): ChildProcess {
  return spawn('sh', ['-c', `exec ${command}`], { cwd: topFolder(), env: cleanEnvironment(environment) })
}

async function untilReady(child: ChildProcess): Promise<void> {
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
  await until('the service is ready', () => child.exitCode !== null || log.includes('Earshot is ready'), 60_000)
  expect(log).toContain('Earshot is ready')
}

async function stop(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
