import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { playService } from './fake-service.ts'
import { PLACE, PROJECT, page, SUBMISSION, submission, TEAM } from './records.ts'

const projects = page([
  { id: PROJECT, name: 'Web site' },
  { id: 'other', name: 'Mobile app' },
])

async function complete(words: readonly string[], answer: Parameters<typeof playService>[0] = page([])) {
  await using service = await playService(answer)
  const { out, err, exitCode } = await earshot(['__complete', ...words], { url: service.url, env: PLACE })
  return { out, err, exitCode, paths: service.requests.map(({ path }) => path) }
}

test.for(['bash', 'zsh', 'fish'])('the script for %s names commands, flags, choices and what the service is asked for', async (shell) => {
  const { out, err, exitCode } = await earshot(['completion', shell])
  expect([err, exitCode]).toEqual(['', 0])
  for (const path of ['submissions list', 'webhooks deliveries list', 'import', 'videos upload', 'completion'])
    expect(out).toContain(`'${path}'`)
  for (const entry of ['--state=pending,approved,rejected', '--webhook=@', '--limit=', '--json'])
    expect(out).toMatch(new RegExp(`^(.* ')?${entry}(\\t|$|')`, 'm'))
  expect(out).not.toContain('__complete --')
  expect(out.split('\n').filter((line) => line.startsWith("'completion')")).length).toBeLessThanOrEqual(1)
})

test('an unknown shell is wrong usage', async () => {
  expect(await earshot(['completion', 'tcsh'])).toMatchObject({ exitCode: 2, err: expect.stringContaining('bash, zsh, fish') })
})

test('the help does not show what shells call', async () => {
  expect((await earshot(['--help'])).out).not.toContain('__complete')
})

test('an id is completed by the list in front of it, with its first words', async () => {
  const { out, paths } = await complete(['submissions', 'approve', ''], page([submission({ body: 'one\u001b[2J\ntwo' })]))
  expect(out).toBe(`${SUBMISSION}\tone[2J two\n`)
  expect(paths).toEqual([`/api/v1/teams/${TEAM}/projects/${PROJECT}/submissions/?limit=100`])
})

test('names of projects and teams become ids', async () => {
  expect((await complete(['submissions', 'list', '--project', 'mob'], projects)).out).toBe('other\tMobile app\n')
  const teams = await complete(['projects', 'list', '--team', ''], page([{ id: TEAM, name: 'Compilers' }]))
  expect(teams).toMatchObject({ out: `${TEAM}\tCompilers\n`, paths: ['/api/v1/teams/?limit=100'] })
})

test('flags before the word choose the parents', async () => {
  expect((await complete(['submissions', 'approve', '--team', 't2', '--project', 'p2', ''])).paths).toEqual([
    '/api/v1/teams/t2/projects/p2/submissions/?limit=100',
  ])
})

test('tags are completed, without those that a shell would run', async () => {
  const tags = ['onboarding', '$(reboot)', 'a b', '`id`', 'a;b', 'über'].map((tag) => ({ tag, count: 1 }))
  expect((await complete(['submissions', 'list', '--tag', ''], page(tags))).out).toBe('onboarding\tonboarding\nüber\tüber\n')
})

test.for([
  ['a refusal', { status: 401, json: { code: 'invalid_token', detail: 'No.', request_id: 'r' } }],
  ['another service', { text: '<html>' }],
  ['a broken connection', { instead: 'reset' }],
] as const)('%s is no completion and no message', async ([, answer]) => {
  expect(await complete(['submissions', 'approve', ''], answer)).toMatchObject({ out: '', err: '', exitCode: 0 })
})

test('a service that does not answer is given up after a second', async () => {
  const startMs = performance.now()
  expect(await complete(['submissions', 'approve', ''], { instead: 'silence' })).toMatchObject({ out: '', err: '', exitCode: 0 })
  expect(performance.now() - startMs).toBeLessThan(3_000)
})

test('what takes no id asks nobody', async () => {
  for (const words of [[''], ['submissions', ''], ['submissions', 'list', '--limit', '']]) expect((await complete(words)).paths).toEqual([])
})
