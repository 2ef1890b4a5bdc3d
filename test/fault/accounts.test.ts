import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { PASSWORD } from '../support/people.ts'
import { openRemoteDatabase } from '../support/remote-database.ts'
import { runAdmin } from '../support/run-admin.ts'
import { startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const GENEROUS_MS = 60_000

test('without an SMTP server a new user signs in with the link that the operator reads', {
  timeout: GENEROUS_MS,
}, async () => {
  await using remote = await openRemoteDatabase()
  const { environment } = remote
  await using service = await startService({ ...environment, EARSHOT_LOG_LEVEL: 'debug' })
  const post = (path: string, body: unknown) => service.send('POST', `/api/auth/${path}/`, { body })
  const email = 'ada@example.com'
  expect(await post('signup', { email, name: 'Ada' })).toMatchObject({ status: 202 })
  expect(await post('password-reset', { email: `${randomUUID()}@example.com` })).toMatchObject({ status: 202 })

  const mails = async () => JSON.parse(await runAdmin(environment, 'mail', 'list', '--json'))
  await until('the mail is kept', async () => (await remote.database.client`select from mails where state = 'kept'`).length > 0)
  // No mail is queued for the unknown address.
  expect(await mails()).toMatchObject([{ to: email, subject: 'Confirm your e-mail address' }])
  const token = (await mails())[0].text.match(/verify-email\/\?token=(\w+)/)?.[1]
  expect(await post('verify-email', { token, password: PASSWORD })).toMatchObject({ status: 200 })
  expect(await post('session', { email, password: PASSWORD })).toMatchObject({ status: 200 })
  for (const word of [email, PASSWORD, token]) expect(service.output()).not.toContain(word)
})

test('with sign-up closed the operator creates users, and common passwords are refused', {
  timeout: GENEROUS_MS,
}, async () => {
  await using remote = await openRemoteDatabase()
  const environment = { ...remote.environment, EARSHOT_SIGN_UP: 'off' }
  await using service = await startService(environment)
  const post = (path: string, body: unknown) => service.send('POST', `/api/auth/${path}/`, { body })
  expect(await post('signup', { email: 'eve@example.com', password: PASSWORD, name: 'Eve' })).toMatchObject({ status: 404 })

  const create = (password: string) => runAdmin(environment, 'user', 'create', '--email', 'ada@example.com', '--password', password)
  await expect(create('password1234')).rejects.toThrow('The password is too common.\n')
  await expect(create('ada@example.com')).rejects.toThrow('The password is too similar to your name or e-mail address.\n')
  await expect(create('short')).rejects.toThrow('It must be 12 to 256 characters long.')
  const join = runAdmin(environment, 'member', 'add', '--team', 'acme', '--email', 'ada@example.com', '--role', 'viewer')
  await expect(join).rejects.toThrow("argument 'acme' is invalid. It must be an id")
  await create(PASSWORD)
  expect(await post('session', { email: 'ada@example.com', password: PASSWORD })).toMatchObject({ status: 200 })
})
