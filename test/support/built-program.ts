import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const APP = fileURLToPath(new URL('../../app/', import.meta.url))
let isBuilt = false

/** Returns the path of a program of the service, as `npm install` builds it. Builds it first if the sources have changed. */
export function builtProgram(name: 'main' | 'admin'): string {
  if (!isBuilt) execFileSync(process.execPath, [`${APP}build.ts`], { stdio: 'pipe' })
  isBuilt = true
  return `${APP}dist/${name}.js`
}
