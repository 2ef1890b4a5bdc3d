import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { makeOtherVersion } from '../support/other-version.ts'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { runService, startService } from '../support/service-process.ts'

/** A build takes seconds. */
const PATIENCE = { timeout: 180_000 }

const run = promisify(execFile)

/** One copy for all tests, which change it one after the other. */
const copy = makeCopy()
afterAll(() => copy[Symbol.dispose]())

test('a build is made when there is none and when a source or the lock file has changed, and is kept otherwise', PATIENCE, async () => {
  const { top, build, current } = copy
  // Two starts at once, as of two replicas.
  await Promise.all([build(), build()])
  expect(copy.builds()).toEqual([current()])
  const builtMs = statSync(join(top, 'app/dist/main.js')).mtimeMs
  await build()
  expect(statSync(join(top, 'app/dist/main.js')).mtimeMs).toBe(builtMs)
  for (const source of ['server/src/projects.ts', 'package-lock.json']) {
    appendFileSync(join(top, source), '\n')
    const before = current()
    await build()
    expect(current(), source).not.toBe(before)
  }
})

test('the last three builds stay for services that run; older ones and those that were killed are deleted', PATIENCE, async () => {
  const { dist, build } = copy
  const [before, ...older] = [copy.current(), ...copy.builds().filter((name) => name !== copy.current())]
  mkdirSync(join(dist, 'new-killed'))
  for (const name of ['new-killed', ...older]) utimesSync(join(dist, name), new Date(0), new Date(0))
  utimesSync(join(dist, older[0] ?? ''), new Date(1), new Date(1))
  appendFileSync(join(copy.top, 'app/main.ts'), '\n')
  await build()
  expect(copy.builds().sort()).toEqual([before, older[0], copy.current()].sort())
})

test('who goes back to earlier sources gets their build, also when it was the oldest or is gone', PATIENCE, async () => {
  const { top, dist, build, current } = copy
  const path = join(top, 'app/main.ts')
  const source = readFileSync(path, 'utf8')
  const first = current() ?? ''
  for (const change of [1, 2, 3]) {
    writeFileSync(path, `${source}// ${change}\n`)
    await build()
  }
  utimesSync(join(dist, first), new Date(0), new Date(0))
  writeFileSync(path, source)
  await build()
  expect(current()).toBe(first)
  expect(existsSync(join(dist, first, 'main.mjs'))).toBe(true)
  rmSync(join(dist, first), { recursive: true })
  await build()
  expect(existsSync(join(dist, first, 'main.mjs'))).toBe(true)
})

test('a build that fails says in one line why, and leaves the last one', PATIENCE, async () => {
  const path = join(copy.top, 'server/src/projects.ts')
  const source = readFileSync(path, 'utf8')
  const before = copy.current()
  writeFileSync(path, `${source}const = 1\n`)
  await expect(copy.build()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The service cannot be built: .+projects\.ts/s),
  })
  rmSync(path)
  await expect(copy.build()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('projects') })
  writeFileSync(path, source)
  expect(copy.current()).toBe(before)
})

test('a stack trace names the source and its line', PATIENCE, async () => {
  const path = join(copy.top, 'app/store.ts')
  const source = readFileSync(path, 'utf8')
  appendFileSync(path, "throw new Error('broken on purpose')\n")
  await copy.build()
  await using dataDir = makePreparedDataDir()
  const { code, output } = await runService({ EARSHOT_DATA_DIR: dataDir.path }, { main: join(copy.dist, 'main.js') })
  writeFileSync(path, source)
  expect(code).not.toBe(0)
  expect(output).toContain('Error: broken on purpose')
  expect(output).toContain(`app/store.ts:${source.split('\n').length}:`)
})

test('a build is enough to start, as in an image without the sources', PATIENCE, async () => {
  await copy.build()
  const built = copy.current()
  for (const part of ['contracts/src', 'db/src', 'drivers/src', 'jobs/src', 'server/src/projects.ts'])
    rmSync(join(copy.top, part), { recursive: true })
  await copy.build()
  expect(copy.current()).toBe(built)
  await using dataDir = makePreparedDataDir()
  await using service = await startService({ EARSHOT_DATA_DIR: dataDir.path }, { main: join(copy.dist, 'main.js') })
  expect(await service.send('GET', '/readyz')).toMatchObject({ status: 200 })
})

/** A copy of the sources, whose service can be built without harm to other tests. */
function makeCopy() {
  const version = makeOtherVersion({})
  const top = dirname(dirname(version.main))
  const dist = join(top, 'app/dist')
  return {
    top,
    dist,
    build: () => run(process.execPath, [join(top, 'app/build.ts')]),
    builds: () => (existsSync(dist) ? readdirSync(dist).filter((name) => statSync(join(dist, name)).isDirectory()) : []),
    /** The name of the build that the programs run. */
    current: () => /\.\/(\w+)\/main/.exec(readFileSync(join(dist, 'main.js'), 'utf8'))?.[1],
    [Symbol.dispose]: version[Symbol.dispose],
  }
}
