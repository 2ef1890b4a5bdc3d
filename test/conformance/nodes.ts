import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { TOP } from './command.ts'
import { installNpm } from './npm.ts'

const HOME = join(TOP, '.conformance/nodes')
const OWN = Number.parseInt(process.versions.node, 10)
const OLDER = [20, 22]

/** Installs other versions of Node than that of this process. Resolves to the problem, or null. */
export async function installNodes(): Promise<string | null> {
  const packages = OLDER.filter((version) => version !== OWN).map((version) => `node${version}@npm:node-${platform()}-${arch()}@${version}`)
  const missing = await installNpm(HOME, packages)
  return missing === null ? null : `Node ${missing}`
}

/** Returns the path of a version of Node. */
export function nodeOf(version: number): string {
  return version === OWN ? process.execPath : join(HOME, `node_modules/node${version}/bin/node`)
}
