import { expect, test } from 'vitest'
import { measureLateness } from '../support/lateness.ts'
import { makeConfigFolder } from '../support/profiles.ts'
import { earshot } from './command-line.ts'
import { runInShell } from './executable.ts'
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
  const words = out.split('\n').map((line) => line.replace(/^.* echo '|^printf .* '/, '').replace(/[\t'].*/, ''))
  for (const word of ['completion', 'fish']) expect(words).toContain(word)
  expect(words).not.toContain('__complete')
  expect(out.match(/^(case )?'completion'/gm)).toHaveLength(1)
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
  using late = measureLateness()
  const startMs = performance.now()
  expect(await complete(['submissions', 'approve', ''], { instead: 'silence' })).toMatchObject({ out: '', err: '', exitCode: 0 })
  expect(performance.now() - startMs).toBeLessThan(3_000 + 1_000 * late.seconds())
})

test.for([
  [['open'], ['dashboard', 'account', 'tokens', 'docs', 'project', 'submission']],
  [
    ['--debug', 'open', '--print', '--team', 'x'],
    ['dashboard', 'account', 'tokens', 'docs', 'project', 'submission'],
  ],
  [['open', 'docs'], []],
  [['completion'], []],
  [['api'], ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
  [['api', 'nothing'], []],
  [['login'], []],
  [['profiles', 'use'], []],
  [['videos', 'upload'], []],
] as const)('after %j come %j, without the service', async ([words, wanted]) => {
  const { out, paths } = await complete([...words, ''])
  expect([out.split('\n').map((line) => line.split('\t')[0]), paths]).toEqual([[...wanted, ''], []])
})

test('a page to open takes an id of its kind', async () => {
  expect((await complete(['open', 'project', 'mob'], projects)).out).toBe('other\tMobile app\n')
  expect((await complete(['open', 'submission', ''])).paths).toEqual([`/api/v1/teams/${TEAM}/projects/${PROJECT}/submissions/?limit=100`])
})

test('the paths of a request are those of its method that need no id but team and project', async () => {
  const { out, paths } = await complete(['api', '--field', 'limit=1', 'post', 'teams/{team}/projects/{project}/s'])
  expect(out).toContain('teams/{team}/projects/{project}/submissions/\tCreate ')
  expect(out).not.toMatch(/_id}|counts/)
  expect((await complete(['api', 'GET', ''])).out).toMatch(/^me\/\t/m)
  expect(paths).toEqual([])
})

test('profiles and their addresses are completed, and a profile that is named in either form decides on the rest', async () => {
  await using service = await playService(projects)
  using config = makeConfigFolder()
  config.write('home', { url: service.url, email: 'ada@example.com', team: 'home-team', credential: { token: 'svc_home' } })
  config.write('work', { url: 'https://feedback.example', email: 'ada@work.example', credential: { token: 'svc_work' } })
  const run = async (...words: string[]) => (await earshot(['__complete', ...words], { env: config.env })).out
  expect(await run('profiles', 'use', '')).toBe(`home\t${service.url}\nwork\thttps://feedback.example\n`)
  expect(await run('login', 'https')).toBe('https://feedback.example\twork\n')
  for (const words of [['--profile'], ['submissions', 'list', '--profile', '='], ['--profile=']])
    expect(await run(...words, 'wo')).toBe('work\thttps://feedback.example\n')
  for (const words of [['--profile=home'], ['--profile', 'home'], ['--profile', '=', 'home']]) {
    expect(await run(...words, 'projects', 'retrieve', 'mob')).toBe('other\tMobile app\n')
    expect(service.requests.pop()).toMatchObject({ path: '/api/v1/teams/home-team/projects/?limit=100' })
  }
  for (const words of [['--team=t2'], ['--team', '=', 't2']]) {
    await run('--profile=home', 'projects', 'retrieve', ...words, '')
    expect(service.requests.pop()?.path).toBe('/api/v1/teams/t2/projects/?limit=100')
  }
})

test('bash completes the arguments of tools, with the script', async () => {
  const script = [
    'source <(earshot completion bash)',
    `press() { COMP_WORDS=(earshot "$@"); COMP_CWORD=$#; COMPREPLY=(); _earshot; echo "\${COMPREPLY[*]}"; }`,
    'press open t; press completion f; press api P; press profiles u; press moderate --kind v; press subm; press import ""; press teams list --profi',
  ]
  const { out, err } = await runInShell(script.join('\n'))
  expect([out.toString(), err]).toEqual(['tokens\nfish\nPOST PUT PATCH\nuse\nvideo\nsubmissions\n\n--profile\n', ''])
})

test('what takes no id asks nobody', async () => {
  for (const words of [[''], ['submissions', ''], ['submissions', 'list', '--limit', '']]) expect((await complete(words)).paths).toEqual([])
})
