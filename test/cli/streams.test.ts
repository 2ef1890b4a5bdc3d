import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runInShell } from './executable.ts'
import { playService } from './fake-service.ts'
import { PLACE, page, submission } from './records.ts'

const list = page([submission()])

async function run(command: string, answer: Parameters<typeof playService>[0] = list) {
  await using service = await playService(answer)
  return { ...(await runInShell(command, { ...PLACE, EARSHOT_URL: service.url })), requests: service.requests }
}

test
  .runIf(existsSync('/dev/full'))
  .for(['submissions list', 'submissions list --csv', 'submissions list --all --json', 'api GET x/', '--help'])(
  '%s to a full disk is one line, and exit code 1',
  async (args) => {
    const { exitCode, err } = await run(`earshot ${args} > /dev/full`)
    expect([exitCode, err]).toEqual([1, 'error: cannot write the output: no space left on device\n'])
  },
)

test('a standard error that nobody reads changes neither the output nor the exit code', async () => {
  const listed = await run('earshot submissions list')
  expect(listed.exitCode).toBe(0)
  const more = page([submission()], 'c1')
  // The reader has ended before the command writes.
  const closed = '2> >(exec 0<&-; true)'
  const { exitCode, out } = await run('exec 9> >(exec <&-); sleep 0.2; earshot submissions list 2>&9', more)
  expect([exitCode, out.toString()]).toEqual([0, listed.out.toString()])
  expect((await run(`earshot submissions list ${closed}`, { status: 401, json: { code: 'x', detail: 'x' } })).exitCode).toBe(3)
  expect(await run('earshot submissions list 2>&-', more)).toMatchObject({ exitCode: 0, out: listed.out })
})

test('`earshot api` prints the same bytes', async () => {
  const text = '\uFEFFa\r\n'
  expect((await run('earshot api GET x/', { text })).out).toEqual(Buffer.from(text))
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  expect((await run('earshot api GET x/', { bytes })).out).toEqual(bytes)
  expect((await run('earshot api GET x/', { bytes, status: 404 })).out).toEqual(bytes)
})

test('`earshot api --input` sends the same bytes', async () => {
  const { requests } = await run(String.raw`printf '\xff\x00\xfe' | earshot api POST x/ --input -`)
  expect(requests[0]?.bytes).toEqual(Buffer.from([0xff, 0, 0xfe]))
})

test('a standard input that cannot be read is wrong usage', async () => {
  for (const args of ['api POST x/ --input -', 'api PATCH x/ --field a=@-', 'teams create --body @-']) {
    const { exitCode, err, requests } = await run(`earshot ${args} 0> /dev/null`)
    expect([exitCode, requests]).toEqual([2, []])
    expect(err).toMatch(/^error: cannot read the standard input: bad file descriptor\n/)
  }
})
