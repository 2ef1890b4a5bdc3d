import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Returns a hash of files and of all files in folders, with their paths from `top`, which decides whether a build is up to date. */
export function hashSources(top: string, sources: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of sources.flatMap((source) => filesOf(join(top, source)))) hash.update(relative(top, path)).update(readFileSync(path))
  return hash.digest('hex')
}

/** Returns no files for a missing path: the service must start without the sources of its pages, too. */
function filesOf(path: string): string[] {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return (
    readdirSync(path, { recursive: true, encoding: 'utf8' })
      .map((name) => join(path, name))
      // Editors leave links to nothing.
      .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
      .sort()
  )
}
