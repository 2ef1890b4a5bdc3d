import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { earshot } from './command-line.ts'
import { PLACE, PROJECT, SUBMISSION, TEAM } from './records.ts'

const url = 'https://feedback.example'
const inbox = `${url}/app/${TEAM}/${PROJECT}/inbox`

test.for([
  [[], `${url}/app/`],
  [['dashboard'], `${url}/app/`],
  [['account'], `${url}/accounts/`],
  [['tokens'], `${url}/accounts/tokens/`],
  [['docs'], `${url}/api/docs/`],
  [['project'], inbox],
  [['project', 'a/../b'], `${url}/app/${TEAM}/a%2F..%2Fb/inbox`],
  [['submission', SUBMISSION], `${inbox}?item=${SUBMISSION}`],
  [['submission', 'a/../b'], `${inbox}?item=a%2F..%2Fb`],
] as const)('open %j --print', async ([args, address]) => {
  expect(await earshot(['open', ...args, '--print'], { url, env: PLACE })).toEqual({ exitCode: 0, out: `${address}\n`, err: '' })
})

test('BROWSER gets the address as one argument; without a browser it is printed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'earshot-open-'))
  const browser = join(directory, 'browser')
  await writeFile(browser, `#!/bin/sh\nprintf '%s|' "$@" > ${directory}/opened\n`)
  await chmod(browser, 0o755)
  const id = '$(touch hacked) a;b'
  const { out, err } = await earshot(['open', 'submission', id], { url, env: { ...PLACE, BROWSER: `${browser} --new %s` } })
  const address = `${inbox}?${new URLSearchParams({ item: id })}`
  expect([out, err]).toEqual(['', `Opening ${address}\n`])
  const opened = () => readFile(join(directory, 'opened'), 'utf8').catch(() => '')
  await until('the browser was started', async () => (await opened()) !== '')
  expect(await opened()).toBe(`--new|${address}|`)
  await rm(directory, { recursive: true })
  for (const env of [{}, { BROWSER: '/does/not/exist' }])
    expect(await earshot(['open'], { url, env })).toMatchObject({ exitCode: 0, out: `${url}/app/\n` })
})

test.for([
  [['open', 'nowhere'], url],
  [['open', 'submission'], url],
  [['open', 'docs', 'x'], url],
  [['open'], 'file:///etc/passwd'],
  [['open'], 'javascript:alert(1)'],
] as const)('%j at %s is wrong usage', async ([args, address]) => {
  expect(await earshot(args, { url: address, env: { ...PLACE, BROWSER: 'false' } })).toMatchObject({ exitCode: 2, out: '' })
})
