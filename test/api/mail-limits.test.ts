import { afterAll, beforeAll, expect, test } from 'vitest'
import { lastToken, templatesTo } from '../support/mails.ts'
import { makeTeam, makeUser, PASSWORD } from '../support/people.ts'
import { holdRateWindows, nextRateWindow } from '../support/rate-windows.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const RESET = '/api/auth/password-reset/'
const SIGN_UP = '/api/auth/signup/'
const NEW_PASSWORD = 'a horse of another colour'
const HOURLY = 10
const DAILY = 30

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  await holdRateWindows(service.address)
})
afterAll(() => service.close())

test('a mailbox gets ten mails an hour and thirty a day of those that strangers can cause, of all kinds together', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const owner = await makeTeam(service.database)
  await service.client(owner.token).invitations.create({ team_id: owner.id, email: email.toUpperCase(), role: 'member' })
  // One invitation, then resets and sign-ups in turn.
  for (let minute = 0; minute < HOURLY; minute += 1) await askTwice(email)
  expect(await countTo(email)).toBe(HOURLY)
  expect(new Set(await templatesTo(service, email))).toEqual(new Set(['password-reset', 'sign-up-again']))
  const { email: neighbour } = await makeUser(service.database, PASSWORD)
  await askTwice(neighbour)
  expect(await countTo(neighbour)).toBe(2)

  for (let hour = 2; hour <= DAILY / HOURLY + 1; hour += 1) {
    await nextRateWindow(service.database, 'mail:hour:')
    for (let minute = 0; minute < HOURLY; minute += 1) await askTwice(email)
    expect(await countTo(email)).toBe(Math.min(hour * HOURLY, DAILY))
  }
  await nextRateWindow(service.database, 'mail:')
  await askTwice(email)
  expect(await countTo(email)).toBe(DAILY + 2)
})

test('an address without an account is answered the same, and so is one that has had its mails', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  const answers = new Set<string>()
  for (let minute = 0; minute < HOURLY + 2; minute += 1) {
    for (const address of [email, 'nobody@example.com']) {
      const { status, body } = await service.send('POST', RESET, { body: { email: address } })
      answers.add(JSON.stringify([status, body]))
    }
    await nextMinute()
  }
  expect(answers.size).toBe(1)
  expect(await countTo(email)).toBe(HOURLY)
})

test('requests within a minute use up no mails', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  for (let time = 0; time < 2 * HOURLY; time += 1) await service.send('POST', RESET, { body: { email } })
  await nextMinute()
  await service.send('POST', RESET, { body: { email } })
  expect(await countTo(email)).toBe(2)
})

test('when no further mail goes, the last link keeps working, and the owner is still told of a new password', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  for (let minute = 0; minute < HOURLY + 2; minute += 1) {
    await service.send('POST', RESET, { body: { email } })
    await nextMinute()
  }
  const token = await lastToken(service, email)
  expect(await service.send('POST', `${RESET}confirm/`, { body: { token, password: NEW_PASSWORD } })).toMatchObject({ status: 204 })
  expect((await templatesTo(service, email)).at(-1)).toBe('password-changed')
})

test('a mail beyond the limit is on record without its secret', async () => {
  const { email } = await makeUser(service.database, PASSWORD)
  for (let minute = 0; minute < HOURLY + 1; minute += 1) {
    await service.send('POST', RESET, { body: { email } })
    await nextMinute()
  }
  const rows = await service.database.run("select state, sealed from mails where recipient = $1 and state <> 'queued'", [email])
  expect(rows).toEqual([{ state: 'dropped', sealed: null }])
})

/** Asks for two mails to an address, and lets the minute pass in which no further one goes. */
async function askTwice(email: string): Promise<void> {
  expect(await service.send('POST', RESET, { body: { email } })).toMatchObject({ status: 202 })
  expect(await service.send('POST', SIGN_UP, { body: { email, name: 'Ada' } })).toMatchObject({ status: 202 })
  await nextMinute()
}

async function nextMinute(): Promise<void> {
  await nextRateWindow(service.database, 'account_mail:')
}

/** Counts the mails to a mailbox that go. */
async function countTo(email: string): Promise<number> {
  const rows = await service.database.run("select from mails where lower(recipient) = lower($1) and state = 'queued'", [email])
  return rows.length
}
