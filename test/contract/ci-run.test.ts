import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'

const SCRIPT = readFileSync(fileURLToPath(new URL('../../.ci/run', import.meta.url)), 'utf8')
const STAGE = /^ {2}stage (?<seconds>\d+) (?<command>.+)$/gm
const stages = [...SCRIPT.matchAll(STAGE)].map(({ groups: { seconds = '', command = '' } = {} }) => ({ seconds: Number(seconds), command }))
const report = (passed: number, failed: number) =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, testResults: [] }).replaceAll('"', '\\"')

test('the stages end well before ninety minutes, each at a limit of its own', () => {
  expect(stages.map(({ command }) => command.split(' -- ')[0])).toEqual([
    'npm ci',
    'npm test',
    'npm run check',
    'npm run test:fault',
    'npm run conformance',
  ])
  const [, total = '0'] = /^readonly TOTAL_SECONDS=(\d+)$/m.exec(SCRIPT) ?? []
  expect(stages.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThanOrEqual(Number(total))
  expect(Number(total)).toBeLessThan(80 * 60)
})

test('the last line counts all stages, and a table before it has the time of each', async () => {
  const { code, lines } = await run({
    test: `echo "${report(8, 1)}" > node_modules/.cache/test-report.json; exit 1`,
    'run check': "echo ' Tasks:    7 successful, 7 total'",
    'run test:fault': `echo "${report(3, 0)}" > node_modules/.cache/test-report.json`,
    'run conformance': "printf '5 passed, 0 failed\\nleft out  another\\n20 passed, 2 failed\\n'; exit 1",
  })
  expect([code, lines.at(-1)]).toEqual([1, '39 passed, 3 failed'])
  const table = lines.slice(lines.findIndex((line) => /took +of +stage/.test(line)) + 1, -2)
  expect(table).toEqual(stages.map(({ command }) => expect.stringMatching(new RegExp(`^ *\\d+ s +\\d+ s +${command.split(' -- ')[0]}`))))
})

const onLinux = test.skipIf(process.platform !== 'linux')

onLinux(
  'a stage that goes beyond its limit is ended with all that it started, counts as one failure, and the rest goes on',
  async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'earshot-pids-'))
    const started = join(folder.path, 'pids')
    // A browser or a service has a session of its own, and does not end because its parent does.
    const stubborn = `trap '' TERM; setsid bash -c 'echo $$ >> ${started}; trap "" TERM; while :; do sleep 1; done' & echo $$ >> ${started}; wait; wait`
    const { code, lines } = await run({ test: stubborn, 'run check': "echo ' Tasks:    7 successful, 7 total'" }, { limits: { test: 2 } })
    const pids = readFileSync(started, 'utf8').trim().split('\n').map(Number)
    expect(pids).toHaveLength(2)
    expect(pids.filter((pid) => isRunning(pid))).toEqual([])
    expect(lines).toContain('npm test did not finish within 2 s')
    expect([code, lines.at(-1)]).toEqual([1, '8 passed, 3 failed'])
  },
  60_000,
)

onLinux('an interrupted script ends its stage, too, at whatever line it is', async () => {
  for (const script of [SCRIPT, SCRIPT.replace(/^ +child=\$!$/m, 'sleep 0.5\n$&')]) {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'earshot-pids-'))
    const started = join(folder.path, 'pids')
    const interrupt = async (pid: number) => {
      await until('the stage runs', () => existsSync(started) && readFileSync(started, 'utf8').endsWith('\n'))
      process.kill(pid, 'SIGTERM')
    }
    const { code } = await run({ test: `echo $$ > ${started}; while :; do sleep 1; done` }, { script, meanwhile: interrupt })
    expect(code).toBe(130)
    expect(isRunning(Number(readFileSync(started, 'utf8')))).toBe(false)
  }
})

function isRunning(pid: number): boolean {
  // A zombie, which nobody has waited for in a container without an init, has no command line.
  return existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`).length > 0
}

interface RunOptions {
  limits?: Record<string, number>
  script?: string
  meanwhile?: (pid: number) => Promise<void>
}

/** Runs the script with another npm, which does what is given for its arguments, and with other limits. */
async function run(commands: Record<string, string>, { limits = {}, script = SCRIPT, meanwhile = async () => {} }: RunOptions = {}) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'earshot-ci-'))
  for (const name of ['.ci', 'bin', 'node_modules/.cache']) mkdirSync(join(folder.path, name), { recursive: true })
  const limited = script.replaceAll(STAGE, (line, seconds, command: string) => {
    const own = Object.entries(limits).find(([name]) => command.startsWith(`npm ${name}`))?.[1]
    return own === undefined ? line : line.replace(seconds, String(own))
  })
  writeFileSync(join(folder.path, '.ci/run'), limited.replace(/^readonly GRACE_SECONDS=\d+$/m, 'readonly GRACE_SECONDS=1'))
  const cases = Object.entries(commands).map(([name, command]) => `  '${name}'*) ${command} ;;`)
  writeFileSync(join(folder.path, 'bin/npm'), ['#!/usr/bin/env bash', 'case "$*" in', ...cases, 'esac', ''].join('\n'))
  chmodSync(join(folder.path, 'bin/npm'), 0o755)
  const env = { ...process.env, PATH: `${join(folder.path, 'bin')}:${process.env.PATH}` }
  const child = spawn('bash', [join(folder.path, '.ci/run')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  const closed = once(child, 'close')
  await meanwhile(child.pid ?? 0)
  const [code] = await closed
  return { code, lines: output.trimEnd().split('\n') }
}
