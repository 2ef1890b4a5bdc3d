import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { playService } from './fake-service.ts'
import { PLACE, page, SUBMISSION } from './records.ts'

const EXECUTABLE = fileURLToPath(new URL('earshot.js', import.meta.resolve('@earshot/cli')))

test.for([
  [['submision', 'list'], 'submissions'],
  [['subm', 'list'], 'earshot submissions'],
  [['submissions', 'lst'], 'list'],
  [['webhooks', 'delivries', 'list'], 'earshot webhooks deliveries'],
  [['webhooks', 'deliveries', 'lst'], 'list'],
  [['submissions', 'list', '--stat', 'pending'], '--state'],
  [['webhooks', 'deliveries', 'list', 'w', '--jso'], '--json'],
  [['projects', 'approve', 'x'], 'earshot submissions approve'],
] as const)('%j names what was meant', async ([args, meant]) => {
  const { exitCode, err, out } = await earshot(args)
  expect([exitCode, out]).toEqual([2, ''])
  expect(err).toMatch(new RegExp(String.raw`^error: unknown (command|option) '.*\n\(Did you mean ${meant}[,?]`))
})

test.for([
  [['profiles', 'use', 'nobody'], 'profiles use'],
  [['open', 'docs', 'x'], 'open'],
  [['api', 'FETCH', 'x/'], 'api'],
  [['listen', '--events', 'nothing'], 'listen'],
] as const)('%j names the command whose help tells more', async ([args, words]) => {
  const { exitCode, err } = await earshot(args)
  expect([exitCode, err]).toEqual([2, expect.stringMatching(new RegExp(String.raw`^error: .*\nSee earshot ${words} --help\.\n$`))])
})

test('what is like nothing has no suggestion', async () => {
  expect((await earshot(['xyzzyplugh'])).err).not.toContain('Did you mean')
})

test.for([
  ['a page of the web', { text: '<!doctype html>', headers: { 'content-type': 'text/html' } }],
  ['other JSON', { json: { message: 'hello' } }],
  ['a list', { json: [1, 2] }],
  ['text in JSON', { json: 'hello' }],
  ['a refusal of another kind', { status: 404, json: { message: 'Not Found' } }],
] as const)('%s is not of Earshot: one line, and exit code 4', async ([, answer]) => {
  await using service = await playService(answer)
  for (const args of [
    ['submissions', 'list'],
    ['submissions', 'list', '--all', '--csv'],
    ['submissions', 'retrieve', SUBMISSION],
  ]) {
    const { exitCode, err } = await earshot(args, { url: service.url, env: PLACE })
    expect(exitCode).toBe(4)
    expect(err).toMatch(/^error: http\S+ responded with [^\n]+\n[^\n]+is this its address\? Set it with EARSHOT_URL\.\n$/)
  }
})

test('a bug is one line with a way to report it, and a stack with --debug', async () => {
  // A terminal that breaks.
  const run = async (...flags: string[]) => {
    await using service = await playService(page([{ id: 'a' }]))
    return await earshot(['teams', 'list', '--output', 'id', ...flags], {
      url: service.url,
      onOutput: (text) => {
        if (text === 'a\n') throw new RangeError('out of luck')
      },
    })
  }
  const { exitCode, err } = await run()
  expect(exitCode).toBe(1)
  expect(err).toMatch(
    /^error: this is a bug in earshot \d+\.\d+\.\d+ on Node [\d.]+: out of luck\nRun it again with --debug, and report what it prints\n$/,
  )
  expect((await run('--debug')).err).toMatch(/\nRangeError: out of luck\n +at /)
})

test('Ctrl-C ends a command as shells expect, without a stack', async () => {
  await using service = await playService({ instead: 'silence' })
  const env = { ...process.env, EARSHOT_URL: service.url, EARSHOT_TOKEN: 'svc_test' }
  const child = spawn(process.execPath, [EXECUTABLE, 'teams', 'list'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const err = child.stderr.toArray()
  while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  child.kill('SIGINT')
  // A shell reports this as 130.
  expect(await once(child, 'close')).toEqual([null, 'SIGINT'])
  expect(Buffer.concat(await err).toString()).toBe('')
})
