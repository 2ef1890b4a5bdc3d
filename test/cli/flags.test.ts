import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { playService } from './fake-service.ts'
import { attempt, PLACE, PROJECT, page, SUBMISSION, submission, TEAM, WEBHOOK } from './records.ts'

const PROJECT_PATH = `/api/v1/teams/${TEAM}/projects/${PROJECT}`

/** The one request that a command line leads to. */
async function requestOf(args: readonly string[], stdin = '') {
  await using service = await playService({ json: {} })
  const outcome = await earshot(args, { url: service.url, env: PLACE, stdin })
  expect(outcome).toMatchObject({ exitCode: 0, err: '' })
  expect(service.requests).toHaveLength(1)
  const [request] = service.requests
  return { method: request?.method, path: request?.path, body: JSON.parse(request?.body || 'null'), headers: request?.headers }
}

/** What a command line that sends nothing says. */
async function usageErrorOf(args: readonly string[]) {
  await using service = await playService({ json: {} })
  const { exitCode, out, err } = await earshot(args, { url: service.url, env: PLACE })
  expect([exitCode, out, service.requests]).toEqual([2, '', []])
  return err
}

test('the last id is positional, and a flag is the body’s field', async () => {
  expect(await requestOf(['submissions', 'approve', SUBMISSION, '--reason', 'good', '--expected-state', 'rejected'])).toMatchObject({
    method: 'POST',
    path: `${PROJECT_PATH}/submissions/${SUBMISSION}/approve/`,
    body: { reason: 'good', expected_state: 'rejected' },
    headers: { authorization: 'Bearer svc_test' },
  })
})

test('a team or project is positional where it is the resource, else a flag', async () => {
  expect(await requestOf(['teams', 'retrieve', 'T1'])).toMatchObject({ method: 'GET', path: '/api/v1/teams/T1/' })
  expect(await requestOf(['projects', 'delete', 'P1', '--team', 'T1'])).toMatchObject({
    method: 'DELETE',
    path: '/api/v1/teams/T1/projects/P1/',
  })
  expect(await requestOf(['projects', 'list', '--team', 'T1'])).toMatchObject({ path: '/api/v1/teams/T1/projects/' })
})

test('the id of another parent is a flag when it is not the last one', async () => {
  const path = `/api/v1/teams/${TEAM}/webhooks/${WEBHOOK}/deliveries/D1/redeliver/`
  expect(await requestOf(['webhooks', 'deliveries', 'redeliver', 'D1', '--webhook', WEBHOOK])).toMatchObject({ method: 'POST', path })
  expect(await usageErrorOf(['webhooks', 'deliveries', 'redeliver', 'D1'])).toContain("'--webhook <id>' not specified")
})

test('the parent of a list is positional', async () => {
  await using service = await playService(page([attempt]))
  await earshot(['webhooks', 'attempts', 'list', WEBHOOK, '--status-code', '500'], { url: service.url, env: PLACE })
  expect(service.requests[0]?.path).toBe(`/api/v1/teams/${TEAM}/webhooks/${WEBHOOK}/attempts/?status_code=500`)
})

test('headers of a webhook endpoint are JSON; null removes one, and the negated flag all', async () => {
  const update = (...flags: string[]) => requestOf(['webhooks', 'update', WEBHOOK, ...flags])
  const headers = { Authorization: 'Basic YTpi', 'X-Old': null }
  expect(await update('--headers', JSON.stringify(headers))).toMatchObject({ method: 'PATCH', body: { headers } })
  expect((await update('--no-headers')).body).toEqual({ headers: null })
  const create = ['webhooks', 'create', '--url', 'https://a.example', '--events', '*', '--headers', '{"X-Key":"one"}']
  expect((await requestOf(create)).body).toMatchObject({ headers: { 'X-Key': 'one' } })
  expect((await requestOf(['webhooks', 'update', WEBHOOK, '--body', '@-'], JSON.stringify({ headers }))).body).toEqual({ headers })
})

test('nested fields are dotted, lists repeat, and numbers and booleans keep their type', async () => {
  const flags = [
    '--author.name',
    'Ada',
    '--author.website-url',
    'https://a.example',
    '--tags',
    'a',
    '--tags',
    'b,c',
    '--rating',
    '5',
    '--consent.granted',
  ]
  const { body } = await requestOf(['submissions', 'create', '--body', 'Fine.', ...flags, '--metadata', '{"order":"A-1"}'])
  expect(body).toEqual({
    body: 'Fine.',
    rating: 5,
    author: { name: 'Ada', website_url: 'https://a.example' },
    consent: { granted: true },
    tags: ['a', 'b,c'],
    metadata: { order: 'A-1' },
  })
})

test('choices may be separated by commas', async () => {
  const { body } = await requestOf([
    'me',
    'tokens',
    'create',
    '--name',
    'CI',
    '--scopes',
    'read:teams,write:teams',
    '--scopes',
    'read:projects',
  ])
  expect(body.scopes).toEqual(['read:teams', 'write:teams', 'read:projects'])
})

test('--no- is false for a boolean, and clears a nullable field or a list of a change', async () => {
  const { body } = await requestOf(['projects', 'update', PROJECT, '--no-collects.video', '--no-website-url', '--no-theme.logo-url'])
  expect(body).toEqual({ collects: { video: false }, website_url: null, theme: { logo_url: null } })
  expect((await requestOf(['submissions', 'update', SUBMISSION, '--no-tags'])).body).toEqual({ tags: [] })
  expect((await requestOf(['submissions', 'list', '--no-has-video'])).path).toBe(`${PROJECT_PATH}/submissions/?has_video=false`)
})

test('--body gives the whole request from a file, standard input or inline, and flags override it', async () => {
  const whole = { name: 'Old', slug: 'old', settings: { locale: 'de', nps_low_score_threshold: 6 } }
  const merged = { name: 'New', slug: 'old', settings: { locale: 'en', nps_low_score_threshold: 6 } }
  const flags = ['--name', 'New', '--settings.locale', 'en']
  const directory = await mkdtemp(join(tmpdir(), 'earshot-cli-'))
  try {
    const file = join(directory, 'team.json')
    await writeFile(file, JSON.stringify(whole))
    expect((await requestOf(['teams', 'create', '--body', `@${file}`, ...flags])).body).toEqual(merged)
  } finally {
    await rm(directory, { recursive: true })
  }
  expect((await requestOf(['teams', 'create', '--body', '@-', ...flags], JSON.stringify(whole))).body).toEqual(merged)
  expect((await requestOf(['teams', 'create', '--body', JSON.stringify(whole), ...flags])).body).toEqual(merged)
})

test('--body is the field body where an operation has one, unless it begins like a request', async () => {
  const whole = { body: 'Fine.', author: { name: 'Ada' } }
  expect((await requestOf(['submissions', 'create', '--body', 'Fine.', '--author.name', 'Ada'])).body).toEqual(whole)
  expect((await requestOf(['submissions', 'create', '--body', JSON.stringify(whole)])).body).toEqual(whole)
})

test('a list of objects takes each as JSON', async () => {
  const items = [
    { submission_id: SUBMISSION, action: 'approve' },
    { submission_id: TEAM, action: 'reject' },
  ]
  await using service = await playService({ json: { results: [] } })
  const args = ['submissions', 'moderate', ...items.flatMap((item) => ['--items', JSON.stringify(item)])]
  await earshot(args, { url: service.url, env: PLACE })
  expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({ items })
})

test('--idempotency-key is sent', async () => {
  expect((await requestOf(['teams', 'create', '--name', 'A', '--idempotency-key', 'k1'])).headers).toMatchObject({
    'idempotency-key': 'k1',
  })
  expect(await usageErrorOf(['teams', 'create', '--name', 'A', '--idempotency-key', ''])).toContain('--idempotency-key must be')
})

test.for([
  [['submissions', 'create', '--author.name', 'Ada'], 'missing required flag: --body'],
  [['submissions', 'create'], 'missing required flags: --body, --author.name'],
  [['submissions', 'create', '--body', 'x', '--author.name', 'A', '--consent.text', 'I agree'], 'missing required flag: --consent.granted'],
  [['submissions', 'approve'], "missing required argument 'submission-id'"],
  [['submissions', 'approve', '..'], 'submission id is empty'],
  [['submissions', 'approve', SUBMISSION, 'another'], 'too many arguments'],
  [['submissions', 'list', '--state', 'new'], 'It must be one of: pending, approved, rejected.'],
  [['submissions', 'list', '--limit', 'many'], 'It must be a number.'],
  [['submissions', 'list', '--output', 'nme'], 'unknown field nme. Choose from: id, team_id'],
  [['submissions', 'list', '--json', '--output', 'id'], "'--output <field>' cannot be used with option '--json'"],
  [['teams', 'create', '--nmae', 'A'], 'Did you mean --name?'],
  [['teams', 'create', '--body', '@/nowhere.json'], 'cannot read /nowhere.json: no such file or directory'],
  [['teams', 'create', '--body', '{'], '--body is not valid JSON'],
  [['teams', 'create', '--body', '[]'], '--body must be a JSON object'],
  [['teams', 'update', TEAM, '--body', '{"team_id":"x"}'], '--body must not contain team_id'],
  [['submissions', 'aprove'], 'Did you mean approve?'],
  [['submission'], 'Did you mean submissions?'],
] satisfies [string[], string][])('%j ends with 2 before anything is sent', async ([args, message]) => {
  expect(await usageErrorOf(args)).toContain(message)
})

test('an invalid address ends with 2', async () => {
  expect(await earshot(['me', 'retrieve'], { url: 'localhost:8000' })).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('EARSHOT_URL'),
  })
})

test('a record of the service is printed unchanged', async () => {
  await using service = await playService({ json: submission() })
  const { out } = await earshot(['submissions', 'retrieve', SUBMISSION, '--json'], { url: service.url, env: PLACE })
  expect(JSON.parse(out)).toEqual(submission())
})
