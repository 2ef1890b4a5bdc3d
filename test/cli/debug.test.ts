import { expect, test } from 'vitest'
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

test('--debug shows the code of a refusal, and a connection that fails', async () => {
  expect((await debug(['submissions', 'list', '--debug'], refusal(409, 'state_conflict'))).err).toContain('"code":"state_conflict"')
  const { err, exitCode } = await earshot(['teams', 'list', '--debug'], { url: 'http://127.0.0.1:9' })
  expect([exitCode, err]).toEqual([4, expect.stringMatching(/^< fetch failed: .* after \d+ ms$/m)])
})
