import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempDisposableSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './command.ts'
import { installWithKept } from './kept-downloads.ts'

const environment = { DEBIAN_FRONTEND: 'noninteractive' }
const OPTIONS = ['--yes', '--quiet', '--no-install-recommends']
/** A line of `apt-get --print-uris`. */
const URI = /^'[^']+' (?<file>\S+) \d+ SHA256:(?<hash>[0-9a-f]{64})$/gm
/** The installation before: parts run at once, and apt refuses a second one. */
let last: Promise<unknown> = Promise.resolve()
let updated: Promise<unknown> | undefined

/** Installs Debian's packages where we may; what asked for them looks for itself whether that has helped. */
export async function installDebian(...packages: string[]): Promise<void> {
  if (process.getuid?.() !== 0) return
  const installing = last.then(() => install(packages))
  last = installing
  await installing
}

async function install(packages: readonly string[]): Promise<void> {
  updated ??= run('apt-get', ['update', '--quiet'], { environment })
  await updated
  await installWithKept('debian', async (folder) => {
    if (folder !== null) await removeBroken(folder, packages)
    const place = folder === null ? [] : archivesIn(folder)
    return run('apt-get', ['install', ...OPTIONS, ...place, ...packages], { environment, timeoutMs: 600_000 })
  })
}

/** Removes kept packages that are not those of the signed index: apt itself looks at their sizes only. */
async function removeBroken(folder: string, packages: readonly string[]): Promise<void> {
  using nothing = mkdtempDisposableSync(join(tmpdir(), 'earshot-archives-'))
  const words = ['install', '--print-uris', '--option', 'Acquire::ForceHash=SHA256', ...OPTIONS, ...archivesIn(nothing.path), ...packages]
  const { output } = await run('apt-get', words, { environment })
  for (const { groups: { file = '', hash = '' } = {} } of output.matchAll(URI)) {
    const path = join(folder, file)
    if (existsSync(path) && createHash('sha256').update(readFileSync(path)).digest('hex') !== hash) rmSync(path)
  }
}

function archivesIn(folder: string): string[] {
  mkdirSync(join(folder, 'partial'), { recursive: true })
  return ['--option', `Dir::Cache::archives=${folder}/`]
}
