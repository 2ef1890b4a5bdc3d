import { randomBytes } from 'node:crypto'
import { type DatabaseAddress, openDatabase, openTeamDatabase, queueMail, queueMails } from '@earshot/db'
import { prepareDatabase } from '@earshot/db/schema'
import { createSecretBox, sealMail } from '@earshot/drivers'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { QUEUE_VERSION } from '../../db/src/schema/queue.ts'

const LOCK_KEY = 0x45415253
const NO_TEAM = '00000000-0000-7000-8000-000000000000'
const mail = sealMail(createSecretBox(randomBytes(32)), {
  to: 'ada@example.com',
  template: 'password-reset',
  fields: { name: 'Ada' },
  secret: { token: 'hush-hush' },
})

let address: DatabaseAddress
let login: postgres.Sql
beforeAll(async () => {
  const server = inject('postgres')
  const database = `queue_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${database}`)
  address = { ...server, database }
  login = postgres({ ...address, max: 2, onnotice: () => {} })
  await Promise.all(Array.from({ length: 5 }, () => prepareDatabase(address)))
})
afterAll(async () => {
  await login.end()
  await onServer(`drop database ${address.database} with (force)`)
})

test('the migrations of the queue’s package match those that a start expects without loading it', async () => {
  const [row] = await login`select max(id) as version, count(*)::int from graphile_worker.migrations`
  expect(row).toEqual({ version: QUEUE_VERSION, count: QUEUE_VERSION })
})

test('when nothing is missing, preparing waits for no lock', async () => {
  const session = await login.reserve()
  await session`select pg_advisory_lock(${LOCK_KEY})`
  await prepareDatabase(address)
  await session`select pg_advisory_unlock(${LOCK_KEY})`
  session.release()
})

test('before the first worker starts, both serving roles can queue a mail, and its job carries the id alone', async () => {
  const pool = { address, poolSize: 1, applicationName: 'earshot test' }
  const worker = openDatabase({ ...pool, role: 'earshot_worker' })
  const bound = openTeamDatabase(pool)
  const ids = [await queueMail(worker, mail), await queueMail(bound.forTeam(NO_TEAM), mail)]
  const jobs = await login`select j.max_attempts, j.queue_name, p.payload from graphile_worker.jobs j
    join graphile_worker._private_jobs p using (id) order by j.id`
  expect(jobs.map(({ payload }) => payload)).toEqual(ids.map((mail_id) => ({ mail_id })))
  expect(jobs).toMatchObject(ids.map(() => ({ queue_name: null, max_attempts: 18 })))
  for (const text of ['select from mails', 'select from graphile_worker._private_jobs', "select graphile_worker.add_job('mail')"])
    await expect(bound.forTeam(NO_TEAM).run(text, [])).rejects.toThrow('permission denied')
  await Promise.all([worker.close(), bound.close()])
})

test('what causes a mail and the mail are kept together: both or neither', async () => {
  const worker = openDatabase({ address, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot test' })
  const countJobs = async () => (await login`select from graphile_worker.jobs`).length
  const signUp = () =>
    worker.transaction(async (tx) => {
      await queueMail(tx, mail)
      await tx.run("insert into users (email, name) values ($1, 'Ada')", [mail.recipient])
    })
  const before = await countJobs()
  await signUp()
  await expect(signUp()).rejects.toMatchObject({ code: 'already_exists' })
  expect(await countJobs()).toBe(before + 1)
  expect(await login`select from mails`).toHaveLength(before + 1)
  await worker.close()
})

test('mails without a secret are queued by one statement, each with its job', async () => {
  const worker = openDatabase({ address, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot test' })
  const before = (await login`select from graphile_worker.jobs`).length
  const recipients = ['grace@example.com', 'joan@example.com']
  await queueMails(
    worker,
    recipients.map((recipient) => ({ recipient, template: 'mfa-enabled', fields: { name: 'Ada' } })),
  )
  const rows = await login`select recipient, fields, sealed from mails where template = 'mfa-enabled' order by id`
  expect(rows).toEqual(recipients.map((recipient) => ({ recipient, fields: { name: 'Ada' }, sealed: null })))
  expect(await login`select from graphile_worker.jobs`).toHaveLength(before + recipients.length)
  await worker.close()
})

test('a mail’s row tells whom and which, and never its secret in clear', async () => {
  const [row] = await login`select recipient, template, fields, state, attempts, mails::text as whole from mails`
  expect(row).toMatchObject({
    recipient: 'ada@example.com',
    template: 'password-reset',
    fields: { name: 'Ada' },
    state: 'queued',
    attempts: 0,
  })
  expect(row?.whole).not.toContain('hush')
  expect(Buffer.from(String(row?.whole).match(/\\x([0-9a-f]+)/)?.[1] ?? '', 'hex').toString()).not.toContain('hush')
})

async function onServer(text: string): Promise<void> {
  const client = postgres({ ...inject('postgres'), database: 'postgres', max: 1 })
  await client.unsafe(text)
  await client.end()
}
