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
import { cleanEnvironment, openShell, type Shell, topFolder } from './shell.ts'
import { readTour } from './typed-pages.ts'

const [servicePort, receiverPort, appPort] = await Promise.all([freePort(), freePort(), freePort()])
/** Only the ports differ from the pages, because those of the pages may be in use. */
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
  shell = openShell({ EARSHOT_DATA_DIR: dataDir, XDG_CONFIG_HOME: join(dataDir, 'config') }, person.hear)
})
afterAll(async () => {
  await shell?.close()
  await stop(service)
  rmSync(dataDir, { recursive: true, force: true })
})

test('the pages have their steps', () => {
  expect(tour.steps.map(({ title }) => title)).toEqual([
    'README.md: Set up',
    'README.md: 1. Sign in',
    'README.md: 2. Create a project and its public key',
    'README.md: 3. Submit feedback as a visitor',
    'README.md: 4. Register a webhook and start a receiver',
    'README.md: 5. Approve the submission',
    'README.md: 6. Ask a question',
    'README.md: 7. Move in from another service',
    ...['Set up', 'Command line', 'REST', 'Typed client', 'tRPC', 'Public plane'].map((title) => `docs/surfaces.md: ${title}`),
    ...['Set up', 'Personal access token', 'Command line', 'OAuth2 on a device', 'OAuth2 in a web application', 'JWT', 'Session'].map(
      (title) => `docs/signing-in.md: ${title}`,
    ),
  ])
})

test.each(tour.steps)('typing the commands prints what the page shows: $title', { timeout: 90_000 }, async ({ commands, printed }) => {
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
})

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
