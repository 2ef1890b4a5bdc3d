import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { mailBudgets } from '@earshot/contracts'
import { type MailRow, queueMail } from '@earshot/db'
import {
  createDatabaseMail,
  createOwnAddresses,
  createSecretBox,
  createSmtpMail,
  type MailDriver,
  readMailbox,
  type SmtpServer,
  sealMail,
  writeMail,
} from '@earshot/drivers'
import { startWorker } from '@earshot/jobs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startMailServer } from '../support/mail-server.ts'
import { openTestBlobStore } from '../support/test-blob-store.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { transcoding } from '../support/transcoding.ts'
import { until } from '../support/until.ts'
import { asOperator } from '../support/webhook-fixture.ts'

const BASE_URL = 'https://feedback.example'
const LINK = `${BASE_URL}/accounts/password-reset/?token=hush-hush\n`
const MAX_ATTEMPTS = 18
const WORKER = fileURLToPath(new URL('../support/worker-process.ts', import.meta.url))
const secretKey = randomBytes(32)
const secretBox = createSecretBox(secretKey)
const mail = sealMail(secretBox, {
  to: 'ada@example.com',
  template: 'password-reset',
  fields: { name: 'Ada' },
  secret: { token: 'hush-hush' },
})

let store: TestDatabase
let logged: string
const stops: (() => Promise<void>)[] = []
beforeEach(async () => {
  store = await openTestDatabase()
  logged = ''
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  await store.close()
  // Whatever happens to a mail: neither its address nor its words are for the log.
  expect(logged).not.toMatch(/hush|ada@example|Ada/)
})

test('a mail is sent only if its transaction commits, once, and then its secret is erased', async () => {
  await using server = await startMailServer()
  await work(smtp(server.server))
  const undone = store.database.transaction(async (tx) => {
    await queueMail(tx, mail)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  const id = await store.database.transaction((tx) => queueMail(tx, mail))
  await until('it is sent', async () => (await row(id)).state === 'sent')
  await until('its job is done', async () => (await jobs()).length === 0)
  expect(await row(id)).toMatchObject({ attempts: 1, error: null, sealed: null, sent_at: expect.any(String) })
  expect(await store.database.client`select id from mails`).toEqual([{ id }])
  expect(server.received).toMatchObject([
    { envelope: { to: ['ada@example.com'] }, messageId: `<${id}@feedback.example>`, text: expect.stringContaining(LINK) },
  ])
})

test('a mail beyond the limit of its mailbox is not sent, and the log says so', async () => {
  await using server = await startMailServer()
  await work(smtp(server.server))
  const ids: string[] = []
  for (let index = 0; index <= mailBudgets.requested.hourly; index += 1) ids.push(await queueMail(store.database, mail))
  await until('the jobs are done', async () => (await jobs()).length === 0)
  expect(server.received).toHaveLength(mailBudgets.requested.hourly)
  const dropped = ids.at(-1) ?? ''
  expect(await row(dropped)).toMatchObject({ state: 'dropped', attempts: 0, sealed: null, sent_at: null })
  expect(logged).toContain(`${JSON.stringify({ mail_id: dropped, template: 'password-reset' })} Dropped a mail`)
})

test('a sent mail is not sent again when its job is added again', async () => {
  await using server = await startMailServer()
  await work(smtp(server.server))
  const id = await queueMail(store.database, mail)
  await until('it is sent', async () => (await row(id)).state === 'sent')
  await asOperator(store.address, `select graphile_worker.add_job('mail', json_build_object('mail_id', '${id}'))`)
  await until('the jobs are done', async () => (await jobs()).length === 0)
  expect(server.received).toHaveLength(1)
  expect(await row(id)).toMatchObject({ state: 'sent', attempts: 1 })
})

test('while the SMTP server is down a mail waits in the queue, and is delivered when it is up', async () => {
  const down = await startMailServer()
  await down[Symbol.asyncDispose]()
  await work(smtp(down.server))
  const id = await queueMail(store.database, mail)
  await until('it was tried', async () => (await row(id)).attempts === 1)
  expect(await row(id)).toMatchObject({ state: 'queued', error: 'The SMTP server cannot be reached (ECONNREFUSED).' })
  await until('the queue keeps it', async () => (await jobs())[0]?.last_error != null)
  expect(await jobs()).toMatchObject([{ attempts: 1, last_error: 'The SMTP server cannot be reached (ECONNREFUSED).' }])
  await using up = await startMailServer({ port: down.server.port })
  await hurry()
  await until('it is sent', async () => (await row(id)).state === 'sent')
  expect(await row(id)).toMatchObject({ attempts: 2, error: null, sealed: null })
  expect(up.received).toHaveLength(1)
})

test('a permanently refused recipient is logged without the address, and kept for the operator with the server’s response', async () => {
  await using server = await startMailServer({ refuse: { at: 'RCPT', code: 550, text: '5.1.1 no ada@example.com here' } })
  await work(smtp(server.server))
  const id = await queueMail(store.database, mail)
  await until('it is given up', async () => (await row(id)).state === 'failed')
  await until('its job is done', async () => (await jobs()).length === 0)
  const { error, attempts } = await row(id)
  expect(attempts).toBe(1)
  expect(error).toContain('no ada@example.com here')
  await until('it is told', () => logged.includes('Could not deliver a mail'))
  expect(logged).toContain(id)
  expect(logged).toContain('refused the recipient (550 5.1.1)')
})

test('after the last attempt a mail is given up', async () => {
  await using server = await startMailServer({ refuse: { at: 'RCPT', code: 450, text: '4.2.0 later' } })
  await work(smtp(server.server))
  const id = await queueMail(store.database, mail)
  await until('it was tried', async () => (await row(id)).attempts === 1)
  await until('the queue keeps it', async () => (await jobs())[0]?.last_error != null)
  await hurry(MAX_ATTEMPTS - 1)
  await until('it is given up', async () => (await row(id)).state === 'failed')
  await until('its job is done', async () => (await jobs()).length === 0)
  expect(logged).toContain('Could not deliver a mail')
})

test('if a worker is killed before it marks a mail as sent, another sends it again with the same Message-ID', async () => {
  let isAnswering = false
  await using server = await startMailServer({ beforeAnswer: () => until('it answers', () => isAnswering) })
  const id = await queueMail(store.database, mail)
  const options = { address: store.address, secretKey: secretKey.toString('base64'), smtp: server.server }
  const victim = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER, JSON.stringify(options)])
  stops.push(async () => void victim.kill('SIGKILL'))
  await until('the server has it', () => server.received.length === 1)
  victim.kill('SIGKILL')
  isAnswering = true
  await work(smtp(server.server))
  await until('it is sent', async () => (await row(id)).state === 'sent')
  expect(server.received.map(({ messageId }) => messageId)).toEqual(Array(2).fill(`<${id}@feedback.example>`))
})

test('a mail that was sealed with another key is kept and retried', async () => {
  await work(createDatabaseMail(), createSecretBox(randomBytes(32)))
  const id = await queueMail(store.database, mail)
  await until('it was tried', async () => (await row(id)).attempts === 1)
  expect(await row(id)).toMatchObject({ state: 'queued', error: expect.stringContaining('sealed with another secret key') })
})

test('without an SMTP server a mail is kept, once, and the log says only that one waits', async () => {
  await work(createDatabaseMail())
  const id = await queueMail(store.database, mail)
  await until('it is kept', async () => (await row(id)).state === 'kept')
  await until('its job is done', async () => (await jobs()).length === 0)
  expect(await row(id)).toMatchObject({ attempts: 1, error: null, sent_at: null })
  expect(writeMail(secretBox, BASE_URL, await row(id)).text).toContain(LINK)
  expect(logged.split('A mail is ready to read: npm run admin -- mail list')).toHaveLength(2)
  expect(logged).not.toContain(id)
})

async function work(mailDriver: MailDriver, box = secretBox): Promise<void> {
  const keep = (...parts: unknown[]) => {
    logged += `${parts.map((part) => (part instanceof Object ? JSON.stringify(part, showErrors) : String(part))).join(' ')}\n`
  }
  const blobStore = await openTestBlobStore()
  const worker = await startWorker({
    transcoding,
    ...{ address: store.address, secretBox: box, concurrency: 2, mailDriver, blobStore, baseUrl: BASE_URL },
    log: { debug: keep, info: keep, warn: keep, error: keep },
    webhooks: {
      ...{ allowNetworks: [], allowInsecure: true, localTrial: true, backoffBaseMs: 50, version: '1.2.3' },
      ownAddresses: createOwnAddresses([]),
    },
  })
  stops.push(() => worker.stop({ timeoutMs: 5_000 }), blobStore.close)
}

function showErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? { ...value, message: value.message, stack: value.stack, cause: value.cause } : value
}

function smtp(server: SmtpServer): MailDriver {
  return createSmtpMail({ server, from: readMailbox('noreply@feedback.example') })
}

async function row(id: string): Promise<MailRow> {
  const [found] = await store.database.client<MailRow[]>`select * from mails where id = ${id}`
  if (!found) throw new Error('There is no such mail')
  return found
}

function jobs(): Promise<Record<string, unknown>[]> {
  return asOperator(store.address, "select attempts, last_error from graphile_worker.jobs where task_identifier = 'mail'")
}

/** The queue's next attempt is now, after so many. */
async function hurry(attempts = 1): Promise<void> {
  await asOperator(
    store.address,
    `select graphile_worker.reschedule_jobs(array_agg(id), run_at := now(), attempts := ${attempts}) from graphile_worker.jobs`,
  )
}
