import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { installPackage } from '../support/installed-package.ts'
import { openChromium } from './chromium.ts'
import { run, TOP } from './command.ts'
import { installDebian } from './debian.ts'
import { installNodes, nodeOf } from './nodes.ts'
import { runTests } from './test-run.ts'

const SCREENS = join(TOP, '.conformance/screens')
const VERSIONS = [20, 22, 24]

/**
 * Installs the packed command line in an empty folder, and drives it under each Node that it supports, ten commands at once, and in
 * a real terminal. Resolves to the problem, or null.
 */
export async function checkCommandLine(): Promise<string | null> {
  const missing = await installNodes()
  if (missing !== null) return missing
  if ((await run('tmux', ['-V'])).exitCode !== 0) await installDebian('tmux')
  const chromium = await openChromium()
  if (typeof chromium === 'string') return chromium
  await chromium.close()
  using project = await installPackage('cli')
  const { count, problem } = await runTests('test/conformance/command-line/*.conformance.ts', {
    ...{ PROJECT: project.path, SCREENS },
    NODES: VERSIONS.map((version) => `${version}=${nodeOf(version)}`).join(' '),
  })
  console.log(`${count} tests of the packed command line`)
  return problem
}

/** Copies the pictures of screens into the documentation. */
export function keepScreens(): void {
  for (const name of ['login.png', 'moderate.png'])
    if (existsSync(join(SCREENS, name))) copyFileSync(join(SCREENS, name), join(TOP, 'docs', name))
}
