import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Tools that verify what they kept, by the hashes of their registry or of `go.sum`. apt does not: see `debian.ts`. */
type Tool = 'debian' | 'go' | 'npm' | 'python'

/** Returns the folder outside the clone that keeps a tool's downloads; null unless somebody has made the folder that holds it. */
export function keptDownloads(tool: Tool): string | null {
  const home = process.env.CONFORMANCE_CACHE ?? join(homedir(), '.cache/earshot-conformance')
  if (!existsSync(home)) return null
  const folder = join(home, tool)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Installs with kept downloads. If that fails, they may be broken: they are removed, and the installation is repeated. */
export async function installWithKept<Result extends { exitCode: number | null }>(
  tool: Tool,
  install: (folder: string | null) => Promise<Result>,
): Promise<Result> {
  const folder = keptDownloads(tool)
  const first = await install(folder)
  if (folder === null || first.exitCode === 0) return first
  console.log(`${tool}: what was downloaded before is downloaded again`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return install(folder)
}
