import { expect, test } from 'vitest'
import { makeConfigFolder } from '../support/profiles.ts'
import { earshot } from './command-line.ts'
import { playService, refusal } from './fake-service.ts'
import { PLACE, page, submission } from './records.ts'

const token = 'svc_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ'

async function debug(args: readonly string[], answer: Parameters<typeof playService>[0], env: Record<string, string> = {}) {
  await using service = await playService(answer)
  return await earshot(args, { url: service.url, env: { ...PLACE, EARSHOT_TOKEN: token, ...env } })
}

test('--debug shows requests and responses on the standard error, before or behind the command', async () => {
  const answer = { ...page([submission()]), headers: { 'x-request-id': 'r1' } }
  const plain = await debug(['submissions', 'list'], answer)
  expect(plain.err).toBe('')
  for (const args of [
    ['--debug', 'submissions', 'list'],
    ['submissions', 'list', '--debug'],
  ]) {
    const { out, err } = await debug(args, answer)
    expect(out).toBe(plain.out)
    expect(err).toMatch(/^> GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/teams\/\S+\/submissions\/$/m)
    expect(err).toMatch(/^< 200 after \d+ ms$/m)
    expect(err).toMatch(/^< x-request-id: r1$/m)
    expect(err).toContain('"body":"Saved us a week."')
    expect(err).toMatch(/^> authorization: \*\*\*$/m)
  }
})

test('--debug shows no secret of a request or a response', async () => {
  const secrets = {
    ...{ token: 'TOKEN-1', secret: 'SECRET-2', recovery_codes: ['CODES-3'], otpauth_url: 'otpauth://totp/x?secret=OTP-4' },
    ...{ upload: { token: 'UPLOAD-5', url: 'https://files.example/path?signature=SIGNED-6' }, headers: { 'X-Api-Key': 'HEADER-7' } },
    ...{
      url: 'https://hooks.slack.com/services/SLACK-8',
      body: `my token is ${token} and whsec_c2VjcmV0LTk=`,
      jwt: 'eyJhbGciOi.eyJzdWIiOi.SIGNATURE-10',
    },
  }
  const headers = { 'set-cookie': 'session=COOKIE-11' }
  const given = ['--field', 'password=PASSWORD-12', '--field', 'new_password=PASSWORD-13', '--field', 'code=123456', '--field', 'name=Ada']
  const { err } = await debug(['api', 'POST', 'x/?access_token=QUERY-14', ...given, '--header', 'Cookie: a=COOKIE-15', '--debug'], {
    json: secrets,
    headers,
  })
  expect(err).toContain('"name":"Ada"')
  expect(err).not.toMatch(
    /-\d+"|TOKEN-|SECRET-|CODES-|OTP-|UPLOAD-|SIGNED-|HEADER-|SLACK-|SIGNATURE-|COOKIE-|PASSWORD-|QUERY-|c2Vjc|123456/,
  )
  expect(err).not.toContain(token)
})

test('--debug shows of a credential what is no secret', async () => {
  const credential = { kind: 'token', id: 'cred-1', scopes: ['read:teams'], token: 'TOKEN-1', secret: { deep: 'SECRET-2' } }
  const { err } = await debug(['api', 'GET', 'me/', '--debug'], {
    json: { credential, credentials: ['LIST-3'], private: { key: 'KEY-4' } },
  })
  expect(err).toContain('{"kind":"token","id":"cred-1","scopes":["read:teams"],"token":"***","secret":"***"}')
  expect(err).not.toMatch(/TOKEN-1|SECRET-2|LIST-3|KEY-4/)
  expect((await debug(['api', 'GET', 'me/', '--debug'], { json: { credential: 'TEXT-5' } })).err).not.toContain('TEXT-5')
})

test('--debug shows requests of a profile, and not a token of it, old or new', async () => {
  await using service = await playService(
    { json: { access_token: 'NEW-1', refresh_token: 'NEW-2', token_type: 'Bearer', expires_in: 3600 } },
    page([{ id: 'a', name: 'Compilers' }]),
  )
  using config = makeConfigFolder()
  const credential = { access_token: 'OLD-3', refresh_token: 'OLD-4', expires_at: '2020-01-01T00:00:00Z' }
  config.write('home', { url: service.url, email: 'ada@example.com', credential })
  const { err, out, exitCode } = await earshot(['teams', 'list', '--output', 'name', '--debug'], { env: config.env })
  expect([exitCode, out]).toEqual([0, 'Compilers\n'])
  expect(service.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/o/token/', undefined],
    ['/api/v1/teams/', 'Bearer NEW-1'],
  ])
  expect(err).toMatch(/^> GET http\S+\/api\/v1\/teams\/$/m)
  expect(err).toMatch(/^> authorization: \*\*\*$/m)
  expect(err).not.toMatch(/NEW-|OLD-/)
})

test('--debug shows the code of a refusal, and a connection that fails', async () => {
  expect((await debug(['submissions', 'list', '--debug'], refusal(409, 'state_conflict'))).err).toContain('"code":"state_conflict"')
  const { err, exitCode } = await earshot(['teams', 'list', '--debug'], { url: 'http://127.0.0.1:9' })
  expect([exitCode, err]).toEqual([4, expect.stringMatching(/^< fetch failed: .* after \d+ ms$/m)])
})
