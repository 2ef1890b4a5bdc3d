import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { arrivalsAt, attemptsTo } from '../support/arrivals.ts'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import { ok, startReceiver } from '../support/receiver.ts'
import { showErrors } from '../support/show-errors.ts'
import { until } from '../support/until.ts'
import { openWebhookFixture, type WebhookFixture } from '../support/webhook-fixture.ts'

const WORKER = fileURLToPath(new URL('../support/worker-process.ts', import.meta.url))
const LIMIT = 40
const COUNT = 240
const ANSWER_MS = 300
/** Until another worker takes over what a dead one held. */
const TAKEN_OVER_SECONDS = 15

const workers: ChildProcess[] = []
let fixture: WebhookFixture
beforeEach(async () => {
  fixture = await openWebhookFixture()
})
afterEach(async () => {
  for (const worker of workers.splice(0)) await kill(worker)
  await fixture.close()
})

test('after kill -9 of one of two workers the other sends all, at the limit and never above it', { timeout: 90_000 }, async () => {
  // Slow enough that the one that is killed holds some.
  await using receiver = await startReceiver((response) => void setTimeout(ok, ANSWER_MS, response))
  const { id } = await fixture.addEndpoint(receiver.url, { events: ['submission.created'] })
  await fixture.setLimit(id, LIMIT)
  const [first] = await Promise.all([startWorkerProcess(), startWorkerProcess()])
  const ids = await fixture.addBacklog(id, COUNT)
  await until('both send', async () => receiver.requests.length >= COUNT / 4 && (await sendingWorkers()) === 2)
  await kill(first)
  expect(receiver.requests.length).toBeLessThan(COUNT / 2)
  await until('all arrived', () => new Set(receiver.deliveryIds()).size === COUNT, 40_000)
  await until('all ended', async () => (await fixture.database.run('select from webhook_deliveries', [])).length === 0)

  expect(new Set(receiver.deliveryIds())).toEqual(new Set(ids))
  const attempts = await attemptsTo(fixture, id)
  const [received, mostPerSecond] = [arrivalsAt(receiver), 1.1 * LIMIT + 1]
  expect(attempts.mostPerSecond).toBeLessThanOrEqual(mostPerSecond)
  expect(received.count).toBeLessThanOrEqual(LIMIT * received.seconds * 1.1 + 1)
  expect(received.seconds).toBeLessThan((1.1 * attempts.count) / LIMIT + TAKEN_OVER_SECONDS)
  const interrupted = await fixture.database.run("select from webhook_attempts where error_code = 'interrupted'", [])
  expect(interrupted.length).toBeGreaterThan(0)
  expect(attempts.count).toBe(COUNT + interrupted.length)
})

async function sendingWorkers(): Promise<number> {
  return (await fixture.database.run("select distinct worker_id from webhook_deliveries where state = 'sending'", [])).length
}

async function startWorkerProcess(): Promise<ChildProcess> {
  const options = JSON.stringify({ address: fixture.address, secretKey: fixture.secretKey.toString('base64') })
  const worker = spawn(process.execPath, [WORKER, options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...COMPILE_CACHE },
  })
  showErrors(worker)
  workers.push(worker)
  await once(worker.stdout, 'data')
  return worker
}

async function kill(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return
  worker.kill('SIGKILL')
  await once(worker, 'exit')
}
