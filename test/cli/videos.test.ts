import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type CuttingProxy, startCuttingProxy } from '../support/cutting-proxy.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { sha256, storedBytes } from '../support/uploads.ts'
import { recording } from '../support/videos.ts'
import { startWholeWorker } from '../support/whole-worker.ts'
import { earshot, type Outcome } from './command-line.ts'

const EXECUTABLE = fileURLToPath(new URL('earshot.js', import.meta.resolve('@earshot/cli')))

let service: TestService
let team: Team
let home: string
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  team = await makeTeam(service.database)
  home = await mkdtemp(join(tmpdir(), 'earshot-videos-'))
})
afterEach(() => rm(home, { recursive: true }))

const bytes = randomBytes(4_000_000)

test('a video is uploaded, completed and printed, with its type by the extension and what is said beside it', async () => {
  const path = await fileOf('Holiday.MOV')
  const progressStream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
  const args = [path, '--author.name', 'Ada Lovelace', '--rating', '5', '--body', '{not json}', '--consent.granted', '--json']
  const { exitCode, out, err } = await run(args, { progressStream })
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
  expect(JSON.parse(out)).toMatchObject({
    state: 'uploaded',
    file_name: 'Holiday.MOV',
    content_type: 'video/quicktime',
    size_bytes: bytes.length,
    draft: { author: { name: 'Ada Lovelace' }, rating: 5, body: '{not json}', consent: { granted: true } },
  })
  expect(String(progressStream.read())).toContain('100 %  4000 of 4000 kB uploaded')
  const id = JSON.parse(out).id as string
  expect(sha256(await stored(id))).toBe(sha256(bytes))
  expect(await remembered()).toEqual([])

  const again = await run([path, '--output', 'id'])
  expect(again).toMatchObject({ exitCode: 0, err: '' })
  expect(again.out.trim()).not.toBe(id)
  expect((await run([path, '--file-name', 'other.mp4', '--content-type', 'video/mp4'])).out).toMatch(/^file_name +other\.mp4$/m)
})

test('the standard input is uploaded without knowing its size', async () => {
  const { exitCode, out } = await run(['-', '--json'], { stdin: bytes })
  expect(exitCode).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ file_name: 'video', size_bytes: bytes.length })
  expect(sha256(await stored(JSON.parse(out).id as string))).toBe(sha256(bytes))
})

test.for([
  ['SIGINT', 130],
  ['SIGTERM', 130],
  ['SIGKILL', null],
] as const)(
  'after %s (exit code %s) the same command resumes where the upload stopped',
  { timeout: 60_000 },
  async ([signal, exitCode]) => {
    const path = await fileOf('clip.webm')
    let isCutting = true
    const nextCut = (cuts: number) => {
      if (!isCutting) return null
      // The second chunk breaks off, and after it no request arrives whole.
      return cuts === 0 ? 1_500_000 : 50
    }
    await using proxy = await startCuttingProxy({ targets: [service.url], nextCut })
    const env = { ...process.env, ...settings(), EARSHOT_URL: proxy.url }
    const child = spawn(process.execPath, [EXECUTABLE, 'videos', 'upload', path], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let shown = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (shown += text))
    await until('the upload was cut twice', () => proxy.cuts() > 1)
    child.kill(signal)
    expect(await once(child, 'close')).toEqual(exitCode === null ? [null, signal] : [exitCode, null])
    // One line says that the connection broke, however often that was.
    const broken = 'http\\S+ is not reachable: \\S+ Trying again\\. Press Ctrl-C to stop\\.\\n'
    const stopped = exitCode === null ? '' : 'The upload stopped\\. The same command resumes it\\.\\n'
    expect(shown).toMatch(new RegExp(`^${broken}${stopped}$`))

    const [name = ''] = await remembered()
    const file = join(home, 'earshot', name)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const { video_id } = JSON.parse(await readFile(file, 'utf8'))
    await until('what arrived is stored', async () => (await stored(video_id)).length >= 1_048_576)
    const arrived = await stored(video_id)
    expect(arrived.equals(bytes.subarray(0, arrived.length))).toBe(true)
    // Until then the next one says that it waits.
    const isFree = 'select from videos where id = $1 and leased_until is null'
    await until('the request that broke off has ended', async () => (await service.database.run(isFree, [video_id])).length === 1)

    isCutting = false
    const resumed = await run([path, '--author.name', 'Ada', '--json'], { env: { EARSHOT_URL: proxy.url } })
    expect(resumed).toMatchObject({ exitCode: 0, err: '' })
    expect(JSON.parse(resumed.out)).toMatchObject({ id: video_id, size_bytes: bytes.length, draft: { author: { name: 'Ada' } } })
    expect(sha256(await stored(video_id))).toBe(sha256(bytes))
    expect((await service.client(team.token).videos.list(team.project)).results).toHaveLength(1)
    expect(await remembered()).toEqual([])
  },
)

test('a file that has changed, and an upload that has expired or was deleted, are reserved anew', async () => {
  const path = await fileOf('clip.webm')
  let isCutting = true
  await using proxy = await startCuttingProxy({ targets: [service.url], nextCut: () => (isCutting ? 1_500_000 : null) })
  const idOf = async () => JSON.parse(await readFile(join(home, 'earshot', (await remembered()).at(0) ?? ''), 'utf8')).video_id as string
  await interrupted(proxy, path)
  const first = await idOf()
  await interrupted(proxy, path)
  expect(await idOf()).toBe(first)

  await service.database.run('update videos set upload_until = now() where id = $1', [first])
  await interrupted(proxy, path)
  const second = await idOf()
  expect(second).not.toBe(first)
  await service.client(team.token).videos.delete({ ...team.project, video_id: second })
  await interrupted(proxy, path)
  const third = await idOf()
  expect(third).not.toBe(second)

  const lost = join(home, 'earshot', 'upload-0123.json')
  const upload = { url: service.url, token: 'upl_test', expires_at: '2000-01-01T00:00:00.000Z' }
  await writeFile(lost, JSON.stringify({ video_id: first, upload }))
  await utimes(path, 1, 1)
  isCutting = false
  const { exitCode, out } = await run([path, '--output', 'id'], { env: { EARSHOT_URL: proxy.url } })
  expect(exitCode).toBe(0)
  expect([first, second, third]).not.toContain(out.trim())
  // That of the file before it changed can still be resumed; the expired one of another file cannot.
  expect((await remembered()).map((name) => join(home, 'earshot', name))).not.toContain(lost)
  expect(await idOf()).toBe(third)
})

test('a file that changes while it is uploaded is told, and its upload is not completed', async () => {
  const path = await fileOf('clip.webm')
  await using proxy = await startCuttingProxy({ targets: [service.url], nextCut: () => 1_500_000 })
  const outcome = await runBroken(proxy, path, { onBroken: () => writeFileSync(path, bytes.subarray(1)) })
  expect(outcome).toMatchObject({ exitCode: 2, err: expect.stringContaining('clip.webm was changed while it was uploaded') })
  const videos = await service.client(team.token).videos.list(team.project)
  expect(videos.results.map(({ state }) => state)).toEqual(['uploading'])
})

test('--wait shows the transcode and ends with the video, with 1 if it failed', async () => {
  const worker = await startWholeWorker(service)
  const path = join(home, 'clip.webm')
  await writeFile(path, await recording())
  const ready = await run([path, '--wait', '--json'])
  expect(ready).toMatchObject({ exitCode: 0, err: '' })
  expect(JSON.parse(ready.out)).toMatchObject({ state: 'ready', playback_url: expect.any(String) })
  const failed = await run([await fileOf('noise.mp4'), '--wait', '--output', 'state'])
  expect(failed).toMatchObject({ exitCode: 1, out: 'failed\n' })
  expect(failed.err).toMatch(/^error: .+ \(unsupported_media\)\n$/)
  await worker.stop({ timeoutMs: 5_000 })
})

test('each failure has its exit code', async () => {
  const path = await fileOf('clip.webm')
  const ended = async (args: string[], env: Record<string, string> = {}) => {
    const { exitCode, err } = await run(args, { env })
    return [exitCode, err.split('\n')[0]]
  }
  expect(await ended([path], { EARSHOT_TOKEN: await team.tokenOf('viewer') })).toEqual([1, expect.stringContaining('(insufficient_role)')])
  expect(await ended([path, '--author.email', 'nobody'])).toEqual([1, expect.stringContaining('(validation_error)')])
  expect((await run([path, '--author.email', 'nobody'])).err).toContain('\n  --author.email: ')
  expect(await ended([join(home, 'missing.mp4')])).toEqual([2, expect.stringContaining('missing.mp4: no such file or directory')])
  expect(await ended([home])).toEqual([2, `error: ${home} is a directory`])
  await writeFile(join(home, 'empty.mp4'), '')
  expect(await ended([join(home, 'empty.mp4')])).toEqual([2, expect.stringContaining('empty.mp4 is empty')])
  expect(await ended([path, '--output', 'nothing'])).toEqual([2, expect.stringContaining('unknown field nothing')])
  expect(await ended([path], { EARSHOT_TOKEN: '' })).toEqual([3, expect.stringContaining('error: you are not signed in at')])
  expect(await ended([path], { EARSHOT_TOKEN: 'svc_wrong' })).toEqual([3, expect.stringContaining('(invalid_token)')])
  expect(await ended([path], { EARSHOT_URL: 'http://127.0.0.1:9' })).toEqual([4, expect.stringContaining('not reachable')])
})

test('the help shows the flags of the draft, and the verb among those of videos', async () => {
  const { out } = await earshot(['videos', 'upload', '--help'])
  for (const flag of ['--author.name <text>', '--file-name <text>', '--consent.text <text>', '--project <id>', '--wait'])
    expect(out).toContain(flag)
  expect(out).not.toContain('--size-bytes')
  expect(out).not.toContain('(required)')
  expect((await earshot(['videos', '--help'])).out).toMatch(/^ {2}upload <file> +Upload a video$/m)
})

async function fileOf(name: string): Promise<string> {
  const path = join(home, name)
  await writeFile(path, bytes)
  return path
}

function settings(): Record<string, string> {
  const { team_id, project_id } = team.project
  return { EARSHOT_TOKEN: team.token, EARSHOT_TEAM: team_id, EARSHOT_PROJECT: project_id, XDG_STATE_HOME: home }
}

function run(args: readonly string[], { env, ...setting }: Parameters<typeof earshot>[1] = {}): Promise<Outcome> {
  return earshot(['videos', 'upload', ...args], { url: service.url, env: { ...settings(), ...env }, ...setting })
}

/** Runs the command through connections that break in the middle of the file, and calls back once that is told. */
async function runBroken(
  proxy: CuttingProxy,
  path: string,
  { onBroken, ...setting }: { onBroken: () => void; interruption?: AbortSignal },
) {
  return run([path], {
    ...setting,
    env: { EARSHOT_URL: proxy.url },
    onOutput: (text) => text.includes('Trying again') && onBroken(),
  })
}

/** Uploads a part of the file. */
async function interrupted(proxy: CuttingProxy, path: string): Promise<void> {
  const controller = new AbortController()
  const outcome = await runBroken(proxy, path, { interruption: controller.signal, onBroken: () => controller.abort() })
  expect(outcome.exitCode).toBe(130)
}

async function remembered(): Promise<string[]> {
  const names = await readdir(join(home, 'earshot')).catch(() => [])
  return names.filter((name) => name.startsWith('upload-'))
}

function stored(video_id: string): Promise<Buffer> {
  return storedBytes(service.database, service.blobStore, { id: video_id, token: '', path: '', ref: { ...team.project, video_id } })
}
