import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './command.ts'
import { installWithKept } from './kept-downloads.ts'

/** Installs packages in a folder of their own, without their scripts, unless they are there. Resolves to the problem, or null. */
export async function installNpm(home: string, packages: readonly string[]): Promise<string | null> {
  const stamp = join(home, 'installed')
  const wanted = createHash('sha256').update(packages.join(' ')).digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return null
  mkdirSync(home, { recursive: true })
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  const { exitCode, output } = await installWithKept('npm', (folder) =>
    run('npm', ['install', '--prefix', home, ...options, ...(folder === null ? [] : ['--cache', folder]), ...packages]),
  )
  if (exitCode !== 0) return `could not be installed: ${output.trim().split('\n').at(-1)}`
  writeFileSync(stamp, wanted)
  return null
}
