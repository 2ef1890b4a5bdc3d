import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { playService, refusal } from './fake-service.ts'
import { PLACE, SUBMISSION } from './records.ts'

const { version: OWN }: { version: string } = JSON.parse(readFileSync(new URL('../../cli/package.json', import.meta.url), 'utf8'))
const approve = ['submissions', 'approve', SUBMISSION]

async function errorOf(args: readonly string[], status: number, code: string, extra: Record<string, unknown> = {}) {
  await using service = await playService({ ...refusal(status, code, extra), headers: { 'retry-after': '3000' } })
  const { exitCode, out, err } = await earshot(args, { url: service.url, env: PLACE })
  expect(out).toBe('')
  return { exitCode, err }
}

test.for([
  [401, 'token_expired', {}, 3, /export EARSHOT_TOKEN/],
  [403, 'insufficient_scope', { required_scope: 'moderate:submissions' }, 1, /the scope moderate:submissions\./],
  [403, 'insufficient_role', { required_role: 'member' }, 1, /the role member/],
  [402, 'quota_exceeded', { quota: 'projects', limit: 20, used: 20, resets_at: null }, 1, /projects: 20 of 20 used\./],
  [409, 'state_conflict', { current_state: 'rejected' }, 1, /The current state is rejected.*--expected-state rejected/],
  [429, 'rate_limited', {}, 1, /Try again in 3000 s\./],
  [503, 'dependency_unavailable', {}, 1, /Request id: req-1/],
  [404, 'not_found', {}, 1, /\n$/],
] as const)('%i %s is one clear line with the code, and what to do', async ([status, code, extra, exitCode, advice]) => {
  const error = await errorOf(approve, status, code, extra)
  expect(error.exitCode).toBe(exitCode)
  const [first, ...more] = error.err.trimEnd().split('\n')
  // A credential that no longer works is one line.
  if (status === 401) expect([first?.startsWith(`error: Refused as ${code}. (${code}) `), more]).toEqual([true, []])
  else expect(first).toBe(`error: Refused as ${code}. (${code})`)
  expect(error.err).toMatch(advice)
})

test('invalid fields are named by their flags', async () => {
  const errors = ['author.email', 'tags.0', 'project_id', 'nickname', ''].map((field) => ({
    field,
    code: 'custom',
    detail: `${field} is wrong`,
  }))
  const args = ['submissions', 'create', '--body', 'x', '--author.name', 'A']
  const { exitCode, err } = await errorOf(args, 400, 'validation_error', { errors })
  expect(exitCode).toBe(1)
  expect(err.split('\n').slice(1)).toEqual([
    '  --author.email: author.email is wrong',
    '  --tags (tags.0): tags.0 is wrong',
    '  --project: project_id is wrong',
    '  nickname: nickname is wrong',
    '  the request:  is wrong',
    '',
  ])
})

test('with --json the error’s body goes to stderr unchanged', async () => {
  const { exitCode, err } = await errorOf([...approve, '--json'], 409, 'state_conflict', { current_state: 'approved' })
  expect(exitCode).toBe(1)
  expect(JSON.parse(err)).toEqual(refusal(409, 'state_conflict', { current_state: 'approved' }).json)
})

test.for([
  ['9.1.0', 404, `The service is Earshot 9.1.0, and this command is ${OWN}. If that is why, run: npm install -g @earshot/cli@9.1.0`],
  ['0.0.9', 400, `The service is Earshot 0.0.9, and this command is ${OWN}. If that is why, run: npm install -g @earshot/cli@0.0.9`],
  [OWN.replace(/\d+$/, '77'), 404, undefined],
  ['9.1.0', 409, undefined],
  ['9.1.0;true', 404, undefined],
] as const)('a service of version %s that refuses with %i is named when that may be why', async ([version, status, line]) => {
  await using service = await playService({ ...refusal(status, 'not_found'), headers: { 'earshot-version': version } })
  const { err } = await earshot(approve, { url: service.url, env: PLACE })
  expect(err.split('\n').find((text) => text.startsWith('The service is'))).toBe(line)
})

test('JSON of another kind names the version, too', async () => {
  await using service = await playService({ json: { other: 1 }, headers: { 'earshot-version': '9.1.0' } })
  const { exitCode, err } = await earshot(['me', 'retrieve'], { url: service.url })
  expect([exitCode, err]).toEqual([4, expect.stringContaining('npm install -g @earshot/cli@9.1.0\n')])
})

test('no token ends with 3 before anything is sent', async () => {
  await using service = await playService({ json: {} })
  const outcome = await earshot(approve, { url: service.url, env: { EARSHOT_TOKEN: '' } })
  expect(outcome).toMatchObject({ exitCode: 3, err: expect.stringContaining('you are not signed in') })
  expect(service.requests).toEqual([])
})

test('an unreachable service ends with 4', async () => {
  const { url } = await (async () => {
    await using service = await playService({})
    return service
  })()
  const { exitCode, err } = await earshot(['me', 'retrieve'], { url })
  expect(exitCode).toBe(4)
  expect(err).toBe(
    `error: ${url} is not reachable: ECONNREFUSED.\nIs the service running, and is this its address? Set it with EARSHOT_URL.\n`,
  )
})

test('a response of another server ends with 4', async () => {
  await using service = await playService({ status: 404, text: '<h1>nginx</h1>', headers: { 'content-type': 'text/html' } })
  const { exitCode, err } = await earshot(['me', 'retrieve'], { url: service.url })
  expect(exitCode).toBe(4)
  expect(err).toContain('responded with 404 and text/html instead of JSON')
})

test('a refusal while finding the team is reported like any other', async () => {
  await using service = await playService(refusal(401, 'invalid_token'))
  expect(await earshot(approve, { url: service.url })).toMatchObject({ exitCode: 3, err: expect.stringContaining('(invalid_token)') })
})
