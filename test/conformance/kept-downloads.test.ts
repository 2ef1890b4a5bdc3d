import { existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { installWithKept, keptDownloads } from './kept-downloads.ts'

const { CONFORMANCE_CACHE: before } = process.env
afterEach(() => {
  if (before === undefined) delete process.env.CONFORMANCE_CACHE
  else process.env.CONFORMANCE_CACHE = before
})

/** A tool that keeps one download, and fails at one that is not what it should be. */
function tool() {
  const downloads: (string | null)[] = []
  return {
    downloads,
    install: async (folder: string | null) => {
      const file = folder === null ? null : join(folder, 'tool.whl')
      if (file !== null && existsSync(file)) return { exitCode: readFileSync(file, 'utf8') === 'good' ? 0 : 1 }
      downloads.push(folder)
      if (file !== null) writeFileSync(file, 'good')
      return { exitCode: 0 }
    },
  }
}

test('what one clone has downloaded is not downloaded by the next', async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), 'earshot-kept-'))
  process.env.CONFORMANCE_CACHE = home.path
  const { downloads, install } = tool()
  for (const _clone of ['first', 'second']) expect(await installWithKept('python', install)).toEqual({ exitCode: 0 })
  expect(downloads).toEqual([join(home.path, 'python')])
})

test('a broken download is downloaded again, and those of other tools stay', async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), 'earshot-kept-'))
  process.env.CONFORMANCE_CACHE = home.path
  const { downloads, install } = tool()
  await installWithKept('python', install)
  await installWithKept('go', install)
  writeFileSync(join(home.path, 'python/tool.whl'), 'broken')
  expect(await installWithKept('python', install)).toEqual({ exitCode: 0 })
  expect(downloads).toEqual(['python', 'go', 'python'].map((name) => join(home.path, name)))
  expect(readFileSync(join(home.path, 'python/tool.whl'), 'utf8')).toBe('good')
})

test('an installation that fails for another reason fails once more, and says so', async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), 'earshot-kept-'))
  process.env.CONFORMANCE_CACHE = home.path
  let times = 0
  const fail = async () => {
    times += 1
    return { exitCode: 1, output: `no network, ${times}` }
  }
  expect(await installWithKept('npm', fail)).toEqual({ exitCode: 1, output: 'no network, 2' })
})

test('nothing is kept where nobody has made the folder', async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), 'earshot-kept-'))
  process.env.CONFORMANCE_CACHE = join(home.path, 'missing')
  const { downloads, install } = tool()
  await installWithKept('python', install)
  expect(downloads).toEqual([null])
  expect(keptDownloads('python')).toBeNull()
  expect(existsSync(join(home.path, 'missing'))).toBe(false)
})
