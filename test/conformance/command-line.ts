import { copyFileSync, existsSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { openChromium } from './chromium.ts'
import { run, TOP } from './command.ts'
import { installDebian } from './debian.ts'
import { installNpm } from './npm.ts'
import { runTests } from './test-run.ts'

const HOME = join(TOP, '.conformance/nodes')
const SCREENS = join(TOP, '.conformance/screens')
const VERSIONS = [20, 22, 24]

/**
 * Installs the packed command line in an empty folder, and drives it under each Node that it supports, ten commands at once, and in
 * a real terminal. Resolves to the problem, or null.
 */
export async function checkCommandLine(): Promise<string | null> {
  const missing = await installNpm(
    HOME,
    VERSIONS.map((version) => `node${version}@npm:node-${platform()}-${arch()}@${version}`),
  )
  if (missing !== null) return `Node ${missing}`
  if ((await run('tmux', ['-V'])).exitCode !== 0) await installDebian('tmux')
  const chromium = await openChromium()
  if (typeof chromium === 'string') return chromium
  await chromium.close()
  const nodes = VERSIONS.map((version) => `${version}=${join(HOME, `node_modules/node${version}/bin/node`)}`)
  const { count, problem } = await runTests('test/conformance/command-line/*.conformance.ts', { NODES: nodes.join(' '), SCREENS })
  console.log(`${count} tests of the packed command line`)
  return problem
}

/** Copies the pictures of screens into the documentation. */
export function keepScreens(): void {
  for (const name of ['login.png', 'moderate.png'])
    if (existsSync(join(SCREENS, name))) copyFileSync(join(SCREENS, name), join(TOP, 'docs', name))
}
