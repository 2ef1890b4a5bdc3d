import { TOP } from './command.ts'

/** Runs test files, by their pattern, in this process. Resolves to how many there were, and to the problem, or null. */
export async function runTests(pattern: string, env: Record<string, string>): Promise<{ count: number; problem: string | null }> {
  // Loading it takes a second, which few runs need.
  const { startVitest } = await import('vitest/node')
  const tests = await startVitest('test', [], {
    ...{ root: TOP, config: false, watch: false, include: [pattern] },
    ...{ globalSetup: ['test/support/global-setup.ts'], testTimeout: 60_000, hookTimeout: 60_000, reporters: ['default'] },
    env,
  })
  const results = tests.state.getTestModules().flatMap((module) => [...module.children.allTests()])
  const failed = results.filter((result) => !result.ok()).length
  const hasBroken = tests.state.getTestModules().some((module) => !module.ok())
  await tests.close()
  // Vitest sets it, and the run counts this check as one of many.
  process.exitCode = 0
  if (results.length === 0) return { count: 0, problem: 'no test ran' }
  const problem = failed === 0 && !hasBroken ? null : `${failed} of ${results.length} tests failed`
  return { count: results.length, problem }
}
