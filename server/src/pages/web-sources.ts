import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the folder of the sources of `web`; where there are none, as in an image, that of what a build has copied of them. */
export function sourcesOf(webFolder: string): string {
  const own = join(webFolder, 'src')
  return existsSync(own) ? own : join(webFolder, 'dist/src')
}
