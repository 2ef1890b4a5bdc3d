import { join } from 'node:path'
import { TOP } from '../command.ts'
import { installNodes, nodeOf } from '../nodes.ts'
import { installNpm } from '../npm.ts'

const HOME = join(TOP, '.conformance/runtimes')
const MODULES = join(HOME, 'node_modules')
/** Bun and Deno name processors as they like. */
const NAMES = process.arch === 'arm64' ? { bun: 'aarch64', deno: 'arm64-glibc' } : { bun: 'x64-baseline', deno: 'x64-glibc' }
const BUN = `@oven/bun-linux-${NAMES.bun}`
const DENO = `@deno/linux-${NAMES.deno}`
const PACKAGES = [`${BUN}@1.4.5`, `${DENO}@2.9.6`, '@arethetypeswrong/cli@0.18.5']

/** arethetypeswrong. */
export const ATTW = join(MODULES, '.bin/attw')

/** How each runtime runs a program, with what it installs by itself turned off. */
export const runtimes: Record<string, (file: string) => [program: string, ...args: string[]]> = {
  'Node 20': (file) => [nodeOf(20), file],
  Bun: (file) => [join(MODULES, BUN, 'bin/bun'), '--no-install', file],
  Deno: (file) => {
    const isolated = ['--no-config', '--no-lock', '--no-remote', '--node-modules-dir=manual', '--allow-net']
    return ['env', `DENO_DIR=${join(HOME, 'deno')}`, join(MODULES, DENO, 'deno'), 'run', ...isolated, file]
  },
}

/** Installs the runtimes and arethetypeswrong from npm, unless they are there. Resolves to the problem, or null. */
export async function installRuntimes(): Promise<string | null> {
  return (await installNodes()) ?? (await installNpm(HOME, PACKAGES))
}
