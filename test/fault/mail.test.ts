import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { queueMail } from '@earshot/db'
import { createSecretBox, sealMail } from '@earshot/drivers'
import { expect, test } from 'vitest'
import type { DataDir } from '../support/data-dir.ts'
import { startMailServer } from '../support/mail-server.ts'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { openRemoteDatabase } from '../support/remote-database.ts'
import { runAdmin } from '../support/run-admin.ts'
import { startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const GENEROUS_MS = 60_000
const BASE_URL = 'https://feedback.example'
const TO = 'ada.lovelace@analytical.example'
const SECRET = 'a-token-that-opens-an-account'

test('without an SMTP server the operator reads mails with or without the running service; the log says only that one waits', {
  timeout: GENEROUS_MS,
}, async () => {
  await using dataDir = makePreparedDataDir()
  const environment = { EARSHOT_DATA_DIR: dataDir.path, EARSHOT_BASE_URL: BASE_URL }
  await using service = await startService({ ...environment, EARSHOT_LOG_LEVEL: 'debug' })
  expect(await runAdmin(environment, 'mail', 'list')).toBe('Nothing found.\n')
  const ids = [await queue(dataDir), await queue(dataDir)]
  const list = async () => JSON.parse(await runAdmin(environment, 'mail', 'list', '--json'))
  await until('both are kept', () => service.output().split('A mail is ready to read').length === 3)

  const beside = await list()
  expect(beside.map(({ id }: { id: string }) => id)).toEqual(ids.reverse())
  expect(Object.keys(beside[0])).toEqual(['id', 'to', 'subject', 'state', 'created_at', 'error', 'text'])
  expect(beside[0]).toMatchObject({ to: TO, subject: 'Reset your password', error: null })
  expect(beside[0].text).toContain(`\n${BASE_URL}/accounts/password-reset/?token=${SECRET}\n`)
  const { output } = await service.stop()
  expect(output.split('A mail is ready to read: npm run admin -- mail list')).toHaveLength(3)
  for (const word of [TO, SECRET, 'Lovelace']) expect(output).not.toContain(word)

  expect(await list()).toEqual(beside)
  const printed = await runAdmin(environment, 'mail', 'list')
  expect(printed).toMatch(new RegExp(`^id {10}${ids[0]}\nto {10}${TO}\nsubject {5}Reset your password\nstate {7}kept\n`))
  expect(printed.split(`\n            ${BASE_URL}/accounts/password-reset/?token=${SECRET}\n`)).toHaveLength(3)
})

test('an api that starts before any worker queues mails; the first worker sends them to the SMTP server', {
  timeout: GENEROUS_MS,
}, async () => {
  await using mailServer = await startMailServer()
  await using remote = await openRemoteDatabase()
  const { database } = remote
  const environment = { ...remote.environment, EARSHOT_BASE_URL: BASE_URL }
  const api = await startService({ ...environment, EARSHOT_ROLE: 'api' })
  const id = await queueMail(database, sealedMail(environment.EARSHOT_SECRET_KEY))
  expect(await api.stop()).toMatchObject({ code: 0 })

  const smtp = { EARSHOT_SMTP_URL: `smtp://127.0.0.1:${mailServer.server.port}`, EARSHOT_MAIL_FROM: 'Example <noreply@feedback.example>' }
  await using _worker = await startService({ ...environment, ...smtp, EARSHOT_ROLE: 'worker' })
  await until('it is there', () => mailServer.received.length === 1)
  expect(mailServer.received).toMatchObject([
    {
      envelope: { from: 'noreply@feedback.example', to: [TO] },
      from: { name: 'Example' },
      messageId: `<${id}@feedback.example>`,
      text: expect.stringContaining(`\n${BASE_URL}/accounts/password-reset/?token=${SECRET}\n`),
    },
  ])
  await until('it is marked', async () => (await database.client`select from mails where state = 'sent'`).length === 1)
  // The secret is gone with it.
  expect(JSON.parse(await runAdmin(environment, 'mail', 'list', '--json'))).toMatchObject([
    { id, subject: 'Reset your password', text: null },
  ])
})

/** Queues a mail as a request of the running service would. */
async function queue(dataDir: DataDir): Promise<string> {
  await using database = await dataDir.openDatabase()
  return await queueMail(database, sealedMail(readFileSync(join(dataDir.path, 'secret-key'), 'utf8')))
}

function sealedMail(secretKey: string) {
  const secretBox = createSecretBox(Buffer.from(secretKey, 'base64'))
  return sealMail(secretBox, { to: TO, template: 'password-reset', fields: { name: 'Ada Lovelace' }, secret: { token: SECRET } })
}
