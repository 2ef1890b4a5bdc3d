import { execFile } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { makeOtherVersion } from '../support/other-version.ts'
import { makeUser, PASSWORD } from '../support/people.ts'
import { startTestService } from '../support/test-service.ts'

/** A build takes seconds, and four of them run. */
const PATIENCE = { timeout: 180_000 }

const run = promisify(execFile)

let copy: ReturnType<typeof makeCopy> | undefined
beforeEach(() => {
  copy?.[Symbol.dispose]()
  copy = undefined
})
afterAll(() => copy?.[Symbol.dispose]())

test('builds may run at once, and open pages get the files of the build before until the next one', PATIENCE, async () => {
  copy = makeCopy()
  const { folder, dist, build } = copy
  rmSync(dist, { recursive: true })
  await Promise.all([build(), build()])
  const service = await startTestService({ webFolder: folder })
  try {
    const { email } = await makeUser(service.database, PASSWORD)
    const browser = openBrowser(service)
    await browser.signIn(email, PASSWORD)
    const readScript = async () => {
      const { status, body } = await service.send('GET', '/app/', { headers: { cookie: browser.cookie() } })
      expect(status).toBe(200)
      return /<script type="module" src="([^"]+)"/.exec(body)?.[1] ?? ''
    }
    const statusOf = async (address: string) => (await service.send('GET', address)).status
    const scripts = [await readScript()]
    for (const round of [1, 2]) {
      // As a build long ago left them, with the folder of one that was killed.
      mkdirSync(join(dist, 'new-killed'))
      for (const name of readdirSync(dist)) utimesSync(join(dist, name), new Date(0), new Date(0))
      appendFileSync(join(folder, 'src/dashboard/main.ts'), `console.debug('Version ${round}')\n`)
      // The second of these builds the same again.
      await Promise.all(round === 1 ? [build(), build()] : [build()])
      scripts.unshift(await readScript())
    }
    expect(new Set(scripts).size).toBe(3)
    expect(await Promise.all(scripts.map(statusOf))).toEqual([200, 200, 404])
    expect(await statusOf('/embed.js')).toBe(200)
  } finally {
    await service.close()
  }
  expect(readdirSync(dist).filter((name) => statSync(join(dist, name)).isDirectory())).toEqual(['src'])
  expect(readdirSync(folder).filter((name) => name.startsWith('dist'))).toEqual(['dist'])
})

test('a change of the lock file makes the pages old, and a link to nothing among the sources does not matter', PATIENCE, async () => {
  copy = makeCopy()
  await copy.ensureBuilt()
  expect(await copy.isBuilt()).toBe(true)
  symlinkSync('nowhere', join(copy.folder, 'src/.#main.tsx'))
  expect(await copy.isBuilt()).toBe(true)
  appendFileSync(join(copy.folder, '../package-lock.json'), '\n')
  expect(await copy.isBuilt()).toBe(false)
})

test('without their sources the pages count as built, and without a part of them when there is a build', PATIENCE, async () => {
  copy = makeCopy()
  await copy.ensureBuilt()
  const { folder, dist } = copy
  rmSync(join(folder, '../package-lock.json'))
  expect(await copy.isBuilt()).toBe(true)
  rmSync(join(dist, 'build.json'))
  expect(await copy.isBuilt()).toBe(false)
  for (const part of ['dashboard', 'visitor', 'embed']) rmSync(join(folder, 'src', part), { recursive: true })
  expect(await copy.isBuilt()).toBe(true)
})

test('what a build wrote is enough for all pages, as in an image without their sources', PATIENCE, async () => {
  copy = makeCopy()
  await copy.ensureBuilt()
  const { folder } = copy
  rmSync(join(folder, 'src'), { recursive: true })
  const service = await startTestService({ webFolder: folder })
  try {
    const { body } = await service.send('GET', '/c/withdraw', { headers: { 'accept-language': 'de' } })
    expect(body).toContain('lang="de"')
    const signIn = await service.send('GET', '/accounts/sign-in/')
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(signIn.body) ?? []
    for (const address of ['/favicon.svg', '/w/widget.css', style]) expect((await service.send('GET', address)).status, address).toBe(200)
    const { email } = await makeUser(service.database, PASSWORD)
    const browser = openBrowser(service)
    await browser.signIn(email, PASSWORD)
    const dashboard = await service.send('GET', '/app/', { headers: { cookie: browser.cookie() } })
    expect(dashboard.status).toBe(200)
    expect(dashboard.body).toMatch(/<script type="module" src="\/assets\/main-/)
  } finally {
    await service.close()
  }
})

/** A copy of the sources, whose pages can be built without harm to other tests. */
function makeCopy() {
  const version = makeOtherVersion({})
  const folder = join(dirname(version.main), '../web')
  const program = join(folder, 'build.ts')
  const build = () => run(process.execPath, [program])
  const isBuilt = async (): Promise<boolean> => {
    const code = `import { isBuilt } from ${JSON.stringify(program)}; console.log(isBuilt())`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code])
    return JSON.parse(stdout)
  }
  return {
    folder,
    dist: join(folder, 'dist'),
    build,
    isBuilt,
    /** The copy has the pages of this repository, unless those are old. */
    ensureBuilt: async () => {
      if (!(await isBuilt())) await build()
    },
    [Symbol.dispose]: version[Symbol.dispose],
  }
}
