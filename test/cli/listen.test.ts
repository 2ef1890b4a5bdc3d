import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verifyWebhook } from '@earshot/contracts/webhooks'
import { createSecretBox } from '@earshot/drivers'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { number } from '../support/event-stream.ts'
import { loseLastEvent } from '../support/feed.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { earshot, type Outcome } from './command-line.ts'

const EXECUTABLE = fileURLToPath(new URL('earshot.js', import.meta.resolve('@earshot/cli')))

/** Still so slow that a later try is signed in a later second. */
const HASTE = 3

interface Received {
  headers: IncomingHttpHeaders
  body: string
}

let store: TestDatabase
let service: TestService
let team: Team
let home: string
const place = { services: { secretBox: createSecretBox(randomBytes(32)) } }
beforeAll(async () => {
  store = await openTestDatabase()
  service = await startTestService({ ...place, database: store.database }, { store })
})
afterAll(async () => {
  await service.close()
  await store.close()
})
beforeEach(async () => {
  team = await makeTeam(store.database)
  home = await mkdtemp(join(tmpdir(), 'earshot-listen-'))
})
afterEach(() => rm(home, { recursive: true }))

test('each event is posted like a delivery, signed with the printed secret, and printed in one line', async () => {
  await using receiver = await receive()
  await using run = listen(['--forward', `${receiver.url}/hook`])
  await run.shows('Waiting for new events. Press Ctrl-C to stop.')
  const [, secret = ''] = /^Forwarding to http\S+\/hook, signed with (whsec_\S+)$/m.exec(run.text()) ?? []
  const [id] = await emit()
  await run.shows(`${id} 200`)
  const [{ headers, body }] = receiver.requests as [Received]
  const [row] = await store.database.run<{ payload: string }>('select payload from events where id = $1', [id])
  expect(body).toBe(row?.payload)
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-service-event': 'submission.created', 'x-service-delivery': id })
  expect(await verifyWebhook(body, headers, secret)).toMatchObject({ id })
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ id })
  const { exitCode, out } = await run.interrupt()
  expect(exitCode).toBe(0)
  expect(out).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d submission\\.created {6}${id} 200 \\d+ms\\n$`))
  expect(out.length).toBeLessThanOrEqual(81)
})

test('the next run resumes where the last one stopped, unless it is started with --from-now', async () => {
  await using receiver = await receive()
  const forward = ['--forward', receiver.url]
  const first = listen(forward)
  await first.shows('Waiting for new events')
  const [one] = await emit()
  await first.shows(`${one} 200`)
  await first.interrupt()
  const [two] = await emit()
  const second = listen(forward)
  await second.shows('Resuming where the last run stopped')
  await second.shows(`${two} 200`)
  await second.interrupt()
  await emit()
  const third = listen([...forward, '--from-now'])
  await third.shows('Waiting for new events')
  const [four] = await emit()
  await third.shows(`${four} 200`)
  expect(receiver.ids()).toEqual([one, two, four])
  await third.interrupt()
  const [name = ''] = await readdir(join(home, 'earshot'))
  expect(JSON.parse(await readFile(join(home, 'earshot', name), 'utf8'))).toEqual({
    url: service.url,
    team_id: team.id,
    cursor: expect.stringMatching(/^f/),
  })
  expect((await stat(join(home, 'earshot', name))).mode & 0o777).toBe(0o600)
})

test('a failed event is tried four times, then skipped, or with --keep-trying until it succeeds', async () => {
  await using receiver = await receive((count) => (count <= 4 ? 503 : 200))
  await using patient = await receive((count) => (count <= 4 ? 429 : 200))
  await using run = listen(['--forward', receiver.url, '--json'])
  await using patientRun = listen(['--forward', patient.url, '--keep-trying'], { XDG_STATE_HOME: join(home, 'other') })
  await Promise.all([run, patientRun].map(({ shows }) => shows('Waiting for new events')))
  const [one, two] = await emit(2)
  await expect.poll(receiver.ids).toEqual([one, one, one, one, two])
  await expect.poll(patient.ids).toEqual([one, one, one, one, one, two])
  await run.shows(two ?? '')
  const { out } = await run.interrupt()
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ event_id, status_code, next_try_in_ms }) => [event_id, status_code, next_try_in_ms])).toEqual([
    [one, 503, 1000],
    [one, 503, 2000],
    [one, 503, 4000],
    [one, 503, null],
    [two, 200, null],
  ])
  expect(new Set(receiver.requests.map(({ headers }) => headers['x-service-timestamp'])).size).toBeGreaterThan(1)
})

test('a final failure is not retried; when the receiver is away, the next run begins with the undelivered event', async () => {
  await using receiver = await receive(() => 404)
  const run = listen(['--forward', receiver.url])
  await run.shows('Waiting for new events')
  const [one] = await emit()
  await run.shows(`${one} 404`)
  const { url } = receiver
  await receiver[Symbol.asyncDispose]()
  const [two] = await emit()
  await run.shows('connection_refused')
  const { out } = await run.interrupt()
  expect(out).toMatch(new RegExp(`${one} 404 \\d+ms skipped\n.*${two} connection_refused \\d+ms retry in 1s\n`))
  await using back = await receive(() => 200, Number(new URL(url).port))
  await using next = listen(['--forward', url])
  await next.shows(`${two} 200`)
  expect(back.ids()).toEqual([two])
})

test('without --forward it prints events, filtered by type and project', async () => {
  await using run = listen(['--events', 'submission.created,submission.approved', '--project', team.project.project_id])
  await run.shows('Showing events; add --forward URL to forward them')
  await run.shows('Waiting for new events')
  const { id: project_id } = await service.client(team.token).projects.create({ team_id: team.id, name: 'Other' })
  await service.client(team.token).submissions.create({ team_id: team.id, project_id, body: 'Elsewhere', author: { name: 'Ada' } })
  await team.join('member')
  const [id] = (await emit()).slice(-1)
  await run.shows(id ?? '')
  const { out } = await run.interrupt()
  expect(out).toMatch(new RegExp(`^\\S+ submission.created +${id}\n$`))
})

test('it reconnects after a restart of the service, and no event is lost', async () => {
  const own = await startTestService({ ...place, database: store.database }, { store })
  await using receiver = await receive()
  await using run = listen(['--forward', receiver.url], { EARSHOT_URL: own.url })
  await run.shows('Waiting for new events')
  const made = await emit()
  await expect.poll(receiver.ids).toEqual(made)
  await own.close()
  await run.shows('Reconnecting in 1 s.')
  made.push(...(await emit(3)))
  const again = await startTestService({ ...place, database: store.database }, { store, port: Number(new URL(own.url).port) })
  await run.shows('Reconnected.')
  await expect.poll(receiver.ids).toEqual(made)
  await again.close()
})

test('it says when events since the last run are lost, and continues where it is told to', async () => {
  await using receiver = await receive()
  const first = listen(['--forward', receiver.url])
  await first.shows('Waiting for new events')
  const [kept = ''] = await emit()
  await emit()
  await expect.poll(() => first.text().match(/ 200 /g)).toHaveLength(2)
  await first.interrupt()
  await loseLastEvent(store.database, team.id)
  const [later = ''] = await emit()

  const refused = await listen(['--forward', receiver.url]).outcome
  expect([refused.exitCode, refused.err]).toEqual([2, expect.stringMatching(/some events were missed: .*--from-oldest .*--from-now/)])
  await using run = listen(['--forward', receiver.url, '--from-oldest'])
  await run.shows('Some events were missed')
  await expect.poll(() => receiver.ids().slice(2)).toEqual(expect.arrayContaining([kept, later]))
  await run.shows(`${later} 200`)
  await run.interrupt()
  await using next = listen(['--forward', receiver.url, '--from-oldest'])
  await next.shows('Resuming where the last run stopped')
  const [last = ''] = await emit()
  await expect.poll(() => receiver.ids().at(-1)).toBe(last)
  expect(next.text()).not.toContain('missed')
  expect(receiver.ids().filter((id) => id === later)).toHaveLength(1)
})

test('a folder that cannot be written is reported once, and events are still forwarded', async () => {
  await using receiver = await receive()
  await using run = listen(['--forward', receiver.url], { XDG_STATE_HOME: '/dev/null' })
  await run.shows('Waiting for new events')
  const made = await emit(2)
  await expect.poll(receiver.ids).toEqual(made)
  expect((await run.interrupt()).err.match(/Cannot save where this run stops/g)).toHaveLength(1)
})

test('a wrong command line, token or address ends the run at once', async () => {
  const ended = async (args: string[], env: Record<string, string> = {}) => {
    const { exitCode, err } = await listen(args, env).outcome
    return [exitCode, err]
  }
  expect(await ended(['--events', 'nothing'])).toEqual([
    2,
    expect.stringMatching(/^error: unknown event nothing\. Choose from: submission\.created, /),
  ])
  expect(await ended(['--forward', 'http://'])).toEqual([2, expect.stringContaining('--forward must be an http or https address')])
  expect(await ended([], { EARSHOT_LISTEN_SECRET: 'hush' })).toEqual([2, expect.stringContaining('EARSHOT_LISTEN_SECRET must be')])
  expect(await ended([], { EARSHOT_TOKEN: '' })).toEqual([3, expect.stringContaining('you are not signed in')])
  expect(await ended([], { EARSHOT_TOKEN: await team.tokenOf('member') })).toEqual([1, expect.stringContaining('(insufficient_role)')])
  expect(await ended([], { EARSHOT_URL: 'http://127.0.0.1:9' })).toEqual([4, expect.stringContaining('not reachable')])
})

test.for(['SIGINT', 'SIGTERM'] as const)('the executable ends with 0 at %s', async (signal) => {
  const env = { ...process.env, EARSHOT_URL: service.url, EARSHOT_TOKEN: team.token, XDG_STATE_HOME: home }
  const child = spawn(process.execPath, [EXECUTABLE, 'listen'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let shown = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (shown += text))
  await expect.poll(() => shown).toContain('Waiting for new events')
  const [id = ''] = await emit()
  await expect.poll(() => shown).toContain(id)
  child.kill(signal)
  expect(await once(child, 'close')).toEqual([0, null])
})

test('the secret of the environment signs, and only terminals get colors', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  await using receiver = await receive()
  await using run = listen(['--forward', receiver.url.replace('http://', '')], { EARSHOT_LISTEN_SECRET: secret }, 80)
  await run.shows(`signed with ${secret}`)
  await emit()
  await run.shows('\u001b[32m200\u001b[39m')
  const [{ headers, body }] = receiver.requests as [Received]
  expect(await verifyWebhook(body, headers, secret)).toMatchObject({ type: 'submission.created' })
  expect((await run.interrupt()).out).toContain('\u001b[32m200\u001b[39m')
})

/** Runs the command until it is interrupted, with a state folder of the test's own. */
function listen(args: readonly string[], env: Record<string, string> = {}, columns?: number) {
  const ending = new AbortController()
  let text = ''
  const outcome: Promise<Outcome> = earshot(['listen', ...args], {
    env: { EARSHOT_URL: service.url, EARSHOT_TOKEN: team.token, EARSHOT_TEAM: team.id, XDG_STATE_HOME: home, ...env },
    ...(columns && { columns }),
    interruption: ending.signal,
    haste: HASTE,
    onOutput: (piece) => {
      text += piece
    },
  })
  const interrupt = async () => {
    ending.abort(new Error('Ctrl-C'))
    return outcome
  }
  return {
    outcome,
    interrupt,
    text: () => text,
    shows: (piece: string) => expect.poll(() => text).toContain(piece),
    [Symbol.asyncDispose]: async () => void (await interrupt()),
  }
}

async function receive(statusOf: (count: number) => number = () => 200, port = 0) {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = await request.toArray()
    requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
    response.writeHead(statusOf(requests.length)).end()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo // A TCP server has one.
  return {
    url: `http://127.0.0.1:${address.port}/`,
    requests,
    ids: () => requests.map(({ body }) => JSON.parse(body).id as string),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Makes events and returns their ids, in the order of the feed. */
async function emit(count = 1): Promise<string[]> {
  for (let made = 0; made < count; made += 1) await team.submit()
  await number(service)
  const rows = await store.database.run<{ id: string }>(
    'select event_id as id from feed_positions where team_id = $1 order by position desc limit $2',
    [team.id, count],
  )
  return rows.map(({ id }) => id).reverse()
}
