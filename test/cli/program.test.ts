import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { contracts, isEverywhere, listOperations } from '@earshot/contracts'
import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { playService } from './fake-service.ts'
import { page } from './records.ts'

const operations = listOperations(contracts).filter(({ operation }) => isEverywhere(operation))
const EXECUTABLE = fileURLToPath(new URL('earshot.js', import.meta.resolve('@earshot/cli')))

test('the help names each noun with its verbs, and the environment variables', async () => {
  const { exitCode, out } = await earshot(['--help'])
  expect(exitCode).toBe(0)
  for (const { words } of operations) expect(out.replaceAll(/\s+/g, ' ')).toContain(words.slice(1).join(' '))
  for (const name of ['EARSHOT_URL', 'EARSHOT_TOKEN', 'EARSHOT_TEAM', 'EARSHOT_PROJECT']) expect(out).toContain(name)
  expect(out).toMatch(/^Exit codes: .*130 Ctrl-C/m)
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
})

test('no public operation is a command', async () => {
  expect((await earshot(['public'])).exitCode).toBe(2)
})

test.for(operations)('$name has help with its summary and no two flags of one name', async ({ words, operation }) => {
  const { exitCode, out } = await earshot([...words, '--help'], { columns: 400 })
  expect(exitCode).toBe(0)
  expect(out).toContain(operation.summary)
  const flags = [...out.matchAll(/^ +(?:-h, )?(--\S+)/gm)].map(([, flag]) => flag)
  expect(flags).toEqual([...new Set(flags)])
  expect(flags).toContain('--json')
})

test('help shows choices, defaults and what is required', async () => {
  const { out } = await earshot(['submissions', 'list', '--help'], { columns: 200 })
  expect(out).toMatch(/--state <choice> .*\(pending, approved, rejected\)/)
  expect(out).toMatch(/--limit <number> .*\(default: 25\)/)
  expect(out).toMatch(/--\[no-\]has-video /)
  expect((await earshot(['teams', 'create', '--help'], { columns: 200 })).out).toMatch(/--name <text> .*\(required\)/)
})

test('a command without a verb ends with 2 and the help on stderr', async () => {
  for (const args of [[], ['submissions'], ['webhooks', 'attempts']]) {
    expect(await earshot(args)).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining('Usage: earshot') })
  }
})

test('the executable prints, exits with the code, and leaves no connection open', async () => {
  await using service = await playService(page([]))
  expect(await execute(['--version'])).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  expect(await execute(['teams', 'list', '--json'], { EARSHOT_URL: service.url, EARSHOT_TOKEN: 'svc_test' })).toEqual({
    exitCode: 0,
    out: '{\n  "results": [],\n  "next_cursor": null\n}\n',
    err: '',
  })
  expect(await execute(['teams', 'list'], { EARSHOT_TOKEN: '' })).toMatchObject({ exitCode: 3, out: '' })
})

test.for(['18.20.8', '20.11.1'])('Node %s is too old, and is told so in one line', async (version) => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const { exitCode, err } = await execute(['--version'], { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` })
  expect([exitCode, err]).toEqual([2, `error: earshot needs Node 20.12 or newer, and this is ${version}\n`])
})

async function execute(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [EXECUTABLE, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err] = [child.stdout.toArray(), child.stderr.toArray()]
  const [exitCode] = await once(child, 'close')
  return { exitCode, out: Buffer.concat(await out).toString('utf8'), err: Buffer.concat(await err).toString('utf8') }
}
