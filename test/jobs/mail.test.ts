import { randomBytes } from 'node:crypto'
import { type Database, queueMail } from '@earshot/db'
import { createDatabaseMail, createOwnAddresses, createSecretBox, type MailDriver, sealMail, writeMail } from '@earshot/drivers'
import { startWorker } from '@earshot/jobs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../src/test-database.ts'
import { asOperator, keepingLog, until } from './webhook-house.ts'

const BASE_URL = 'https://feedback.example'
const secretBox = createSecretBox(randomBytes(32))
const mail = sealMail(secretBox, {
  to: 'ada@example.com',
  template: 'password-reset',
  fields: { name: 'Ada' },
  secret: { token: 'hush-hush' },
})

let store: TestDatabase
let database: Database
const stops: (() => Promise<void>)[] = []
beforeEach(async () => {
  store = await openTestDatabase()
  database = store.database
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  await store.close()
})

test('a mail whose transaction is rolled back is never there; one that commits is kept once, and the log says only that one waits', async () => {
  const messages = await work(createDatabaseMail())
  const undone = database.transaction(async (tx) => {
    await queueMail(tx, mail)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  const id = await database.transaction((tx) => queueMail(tx, mail))
  await until('it is kept', async () => (await row(id))?.state === 'kept')
  await until('its job is done', async () => (await countJobs()) === 0)
  expect(await database.client`select id from mails`).toEqual([{ id }])
  expect(await row(id)).toMatchObject({ state: 'kept', attempts: 1, error: null, sent_at: null })
  expect(writeMail(secretBox, BASE_URL, await row(id)).text).toContain(`${BASE_URL}/accounts/password-reset/?token=hush-hush\n`)
  expect(messages.filter((line) => line.includes('A mail waits'))).toHaveLength(1)
  expect(messages.join('\n')).not.toMatch(/hush|ada@example/)
})

async function work(mailDriver: MailDriver): Promise<string[]> {
  const { log, messages } = keepingLog()
  const worker = await startWorker({
    ...{ address: store.address, secretBox, log, concurrency: 2, mailDriver, baseUrl: BASE_URL },
    webhooks: {
      ...{ allowNetworks: [], allowInsecure: true, localTrial: true, backoffBaseMs: 50, version: '1.2.3' },
      ownAddresses: createOwnAddresses([]),
    },
  })
  stops.push(() => worker.stop({ timeoutMs: 5_000 }))
  return messages
}

async function row(id: string) {
  const [found] = await database.client`select * from mails where id = ${id}`
  if (!found) throw new Error('There is no such mail')
  return found as unknown as Parameters<typeof writeMail>[2] & Record<string, unknown>
}

async function countJobs(): Promise<number> {
  return (await asOperator(store.address, "select from graphile_worker.jobs where task_identifier = 'mail'")).length
}
