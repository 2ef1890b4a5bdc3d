import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PLACE, submission } from './records.ts'

const EXECUTABLE = fileURLToPath(new URL('earshot.js', import.meta.resolve('@earshot/cli')))
const PAGES = 80
const ROWS_OF_PAGE = 100
const ROWS = PAGES * ROWS_OF_PAGE
/** All rows together are 32 MB. With little room for new objects, V8 collects them three times faster in a heap as small as this. */
const HEAP = '--max-old-space-size=30 --max-semi-space-size=1'
const body = 'Saved us a week. '.repeat(240)
/** 100,000 rows of 1 KB. */
const MANY = { pages: 1_000, body: 'Saved us a week.' }

const NUMBER = '"title":"t'

let pagesSent = 0
let sent = listOf({ pages: PAGES, body })
const server = createServer((request, response) => {
  const number = Number(new URL(request.url ?? '', 'http://x').searchParams.get('cursor') ?? 0)
  const next = number + 1 < sent.pages ? `"${number + 1}"` : 'null'
  pagesSent += 1
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`{"results":[${sent.results.replaceAll(NUMBER, `${NUMBER}${number}`)}],"next_cursor":${next}}`)
})

/** A list with the records of a page, whose titles end with their number: the server has little to do beside the command. */
function listOf(list: { pages: number; body: string }) {
  const records = Array.from({ length: ROWS_OF_PAGE }, (_, index) =>
    submission({ title: `t${index}`.replace(/^t(\d)$/, 't0$1'), body: list.body }),
  )
  return { pages: list.pages, results: records.map((record) => JSON.stringify(record)).join(',') }
}
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => void server.close())

/** Runs the executable in a small heap, and reads its output by the shell that follows the pipe. */
async function pipe(flags: string, reader: string) {
  const command = `${process.execPath} ${HEAP} ${EXECUTABLE} submissions list --all ${flags}`
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // It listens on a port.
  const env = { ...process.env, ...PLACE, EARSHOT_URL: url, EARSHOT_TOKEN: 'svc_test' }
  const child = spawn('bash', ['-c', `set -o pipefail; ${command} | ${reader}`], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err] = [child.stdout.toArray(), child.stderr.toArray()]
  const [exitCode] = await once(child, 'close')
  return {
    exitCode,
    out: Buffer.concat(await out)
      .toString('utf8')
      .trim(),
    err: Buffer.concat(await err).toString('utf8'),
  }
}

test.for([
  ['--json', String(ROWS)],
  ['--ndjson', String(ROWS)],
  ['--csv', String(ROWS)],
  ['--output title', String(ROWS)],
  ['', String(ROWS)],
] as const)('%s of a list that is larger than the memory', async ([flags, expected]) => {
  expect(await pipe(flags, String.raw`grep -cE '\bt[0-9]+\b'`)).toEqual({ exitCode: 0, out: expected, err: '' })
})

test.for(['--json', '--ndjson', '--csv', '--output title', ''])('%s ends quietly when its reader has enough', async (flags) => {
  pagesSent = 0
  expect(await pipe(flags, 'head -n 3 > /dev/null')).toEqual({ exitCode: 0, out: '', err: '' })
  expect(pagesSent).toBeLessThan(PAGES / 4)
})

test.for(['', '--json'])('%s of 100,000 rows takes no more memory', { timeout: 120_000 }, async (flags) => {
  sent = listOf(MANY)
  expect(await pipe(flags, String.raw`grep -cE '\bt[0-9]+\b'`)).toEqual({ exitCode: 0, out: '100000', err: '' })
})
