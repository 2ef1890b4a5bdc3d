import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runConfined } from '../../../drivers/src/transcoder/confined-process.ts'
import { openLibavTranscoder } from '../../../drivers/src/transcoder/libav-transcoder.ts'
import { childEnvironment, runMediaChild } from '../../../drivers/src/transcoder/media-child.ts'
import { requireReport } from '../../../drivers/src/transcoder/outcome.ts'
import { findSandbox, type Sandbox } from '../../../drivers/src/transcoder/sandbox.ts'
import { ENDLESS_WEBM } from './hostile-files.ts'

const MAKE_SHELF = fileURLToPath(new URL('make-shelf.ts', import.meta.url))
const TRANSCODE_ONE = fileURLToPath(new URL('transcode-one.ts', import.meta.url))
const GENEROUS_MS = 60_000
const NO_LIMITS = { cpuSeconds: 60, fileBytes: 1_000_000_000 }
const hasProcesses = process.platform === 'linux'

let folder = ''
let sandbox: Sandbox

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earshot-confinement-'))
  await promisify(execFile)(process.execPath, ['--no-warnings', MAKE_SHELF, folder, 'long.mp4'])
  sandbox = await findSandbox({ niceness: 0 })
}, GENEROUS_MS)

afterAll(() => rm(folder, { recursive: true, force: true }))

test('a full disk is not the fault of the file, and leaves no clip that counts', { timeout: GENEROUS_MS }, async () => {
  const small: Sandbox = { ...sandbox, wrap: (command, limits) => sandbox.wrap(command, { ...limits, fileBytes: 100_000 }) }
  const output = await outputFolder()
  const work = openLibavTranscoder('libav', small).transcode({ inputPath: join(folder, 'long.mp4'), folder: output, maxSeconds: 60 })
  await expect(work).rejects.toMatchObject({ code: 'failed', isFinal: false })
})

test('closing the transcoder ends its work', { timeout: GENEROUS_MS }, async () => {
  const transcoder = openLibavTranscoder('libav', sandbox)
  const output = await outputFolder()
  const work = transcoder.transcode({ inputPath: join(folder, 'long.mp4'), folder: output, maxSeconds: 60 })
  const failure = expect(work).rejects.toMatchObject({ code: 'closed', isFinal: false })
  await transcoder.close()
  await failure
  expect(await commandsWith(output)).toEqual([])
})

test.each([
  ['too long', 'while (true) {}', { reason: 'timeout' }],
  ['too much memory', 'const kept = []; while (true) kept.push(Buffer.alloc(10_000_000, 1))', { reason: 'memory' }],
] as const)('a process that takes %s is killed', { timeout: GENEROUS_MS }, async (_what, code, end) => {
  if (!hasProcesses && end.reason === 'memory') return
  expect(await run([process.execPath, '-e', code], { timeoutMs: end.reason === 'timeout' ? 1000 : GENEROUS_MS })).toEqual(end)
})

test('a file that keeps the parser busy for ever is a timeout', { timeout: GENEROUS_MS }, async () => {
  const inputPath = join(folder, 'endless.webm')
  await writeFile(inputPath, Buffer.from(ENDLESS_WEBM, 'base64'))
  const { signal } = new AbortController()
  const task = { task: 'probe', inputPath, folder, maxSeconds: 60, signal, probeTimeoutMs: 2000 } as const
  const result = await runMediaChild(sandbox, task)
  expect(() => requireReport(result, 'probed')).toThrow(expect.objectContaining({ code: 'timeout', isFinal: true }))
})

test('processes that a process started are killed with it', { timeout: GENEROUS_MS }, async () => {
  expect(await run(['sh', '-c', 'sleep 61234 & wait'], { timeoutMs: 500 })).toEqual({ reason: 'timeout' })
  await expect.poll(() => commandsWith('61234')).toEqual([])
})

test('a child has none of this process’s environment', async () => {
  const lines: string[] = []
  const code = 'require("node:fs").writeSync(4, JSON.stringify(Object.keys(process.env)) + "\\n")'
  await run([process.execPath, '-e', code], { timeoutMs: GENEROUS_MS, lines })
  expect(JSON.parse(lines[0] ?? '[]')).not.toContain('HOME')
})

describe.runIf(hasProcesses)('on Linux', () => {
  test('a process has a low priority, and so has its session', async () => {
    const lines: string[] = []
    const low = await findSandbox()
    await run(['sh', '-c', 'nice >&4; cat /proc/self/autogroup >&4 2>/dev/null'], { timeoutMs: GENEROUS_MS, lines, within: low })
    expect(lines[0]).toBe('10')
    if (lines[1] !== undefined) expect(lines[1]).toMatch(/ nice 10$/)
  })

  test('the child of a process that is killed ends within two seconds', { timeout: GENEROUS_MS }, async () => {
    const output = await outputFolder()
    const parent = spawn(process.execPath, ['--no-warnings', TRANSCODE_ONE, join(folder, 'long.mp4'), output], { stdio: 'ignore' })
    await expect.poll(() => commandsWith(output, 'main.ts'), { timeout: GENEROUS_MS }).toHaveLength(1)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    await expect.poll(() => commandsWith(output), { timeout: 2000 }).toEqual([])
  })
})

async function run(
  command: string[],
  { timeoutMs, lines = [], within = sandbox }: { timeoutMs: number; lines?: string[]; within?: Sandbox },
) {
  return await runConfined({
    command: within.wrap(command, NO_LIMITS),
    environment: childEnvironment(),
    inputPath: '/dev/null',
    folder,
    signal: new AbortController().signal,
    timeoutMs: () => timeoutMs,
    onLine: (line) => lines.push(line),
  })
}

function outputFolder(): Promise<string> {
  return mkdtemp(join(folder, 'output-'))
}

/** The commands of running processes that name `text`, but not of those that this test started itself. */
async function commandsWith(text: string, also = ''): Promise<string[]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return commands.filter((command) => command.includes(text) && command.includes(also) && !command.includes('transcode-one.ts'))
}
