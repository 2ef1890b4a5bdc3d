import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { makeTeam } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { sha256, storedBytes } from '../support/uploads.ts'
import { earshot } from './command-line.ts'

const page = await readFile(new URL('../../docs/videos.md', import.meta.url), 'utf8')
const scripts = Array.from(page.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, block = '']) => block)

let service: TestService
let folder: string
beforeAll(async () => {
  const port = await freePort()
  service = await startTestService({ baseUrl: `http://127.0.0.1:${port}` }, { port })
  folder = await mkdtemp(join(tmpdir(), 'earshot-videos-page-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await service.close()
})

test('the requests of the page upload a video, also from the middle', async () => {
  const { project, token } = await makeTeam(service.database)
  const bytes = randomBytes(300_000)
  await writeFile(join(folder, 'clip.webm'), bytes)
  const script = scripts.find((block) => block.includes('Tus-Resumable')) ?? ''
  const lines = script.split('\n')
  const rest = lines.findIndex((line) => line.startsWith('OFFSET='))
  // The first 100,000 bytes, and then the commands that the page names for the rest.
  const partly = lines
    .slice(rest, rest + 3)
    .join('\n')
    .replace(/^tail .*\|$/m, 'head -c 100000 clip.webm |')
  expect(partly).toContain('head -c')
  const whole = [...lines.slice(0, rest), partly, ...lines.slice(rest)].join('\n')
  const env = { ...process.env, EARSHOT_URL: service.url, EARSHOT_TOKEN: token, TEAM: project.team_id, PROJECT: project.project_id }
  await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', whole], { cwd: folder, env })
  const [video] = (await service.client(token).videos.list(project)).results
  expect(video).toMatchObject({ state: 'uploaded', size_bytes: bytes.length, file_name: 'clip.webm' })
  const ref = { ...project, video_id: video?.id ?? '' }
  expect(sha256(await storedBytes(service.database, service.blobStore, { id: '', token: '', path: '', ref }))).toBe(sha256(bytes))
})

test('the commands of the page exist, with their flags', async () => {
  const script = scripts.find((block) => block.includes('npx earshot videos upload')) ?? ''
  const { out } = await earshot(['videos', 'upload', '--help'])
  const flags = Array.from(script.matchAll(/ (--[a-z.-]+)/g), ([, flag = '']) => flag)
  expect(flags.length).toBeGreaterThan(3)
  for (const flag of flags) expect(out).toContain(`${flag} `.replace('--consent', '--[no-]consent').trim())
})
