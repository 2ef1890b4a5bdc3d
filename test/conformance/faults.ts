import { join } from 'node:path'
import { run, TOP } from './command.ts'

const VITEST = join(TOP, 'node_modules/vitest/vitest.mjs')
/** The longest that one of them allows itself, and some time to begin and to end. */
const LIMIT_MS = 40 * 60_000

/** Runs a test file in its long form. Resolves to the problem, or null. */
export async function checkFaults(file: string): Promise<string | null> {
  const { exitCode } = await run(process.execPath, [VITEST, 'run', '--reporter', 'default', file], {
    environment: { FAULT_FORM: 'long' },
    timeoutMs: LIMIT_MS,
    isShown: true,
  })
  return exitCode === 0 ? null : `a test failed; FAULT_FORM=long npx vitest run ${file} repeats it`
}
