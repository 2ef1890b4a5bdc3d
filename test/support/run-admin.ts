import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { builtProgram } from './built-program.ts'
import { COMPILE_CACHE } from './compile-cache.ts'

/** Runs one command of the admin CLI in a process of its own. Returns its output; throws unless it exits with 0. */
export async function runAdmin(environment: Record<string, string>, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [builtProgram('admin'), ...words], {
    cwd: tmpdir(),
    env: { PATH: '/usr/bin:/bin', HOME: tmpdir(), ...COMPILE_CACHE, ...environment },
  })
  return stdout
}
