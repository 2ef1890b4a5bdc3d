import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { COMPILE_CACHE } from './compile-cache.ts'

const ADMIN = fileURLToPath(new URL('../../app/admin.ts', import.meta.url))

/** Runs one command of the admin CLI in a process of its own. Returns its output; throws unless it exits with 0. */
export async function runAdmin(environment: Record<string, string>, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', ADMIN, ...words], {
    cwd: tmpdir(),
    env: { PATH: '/usr/bin:/bin', HOME: tmpdir(), ...COMPILE_CACHE, ...environment },
  })
  return stdout
}
