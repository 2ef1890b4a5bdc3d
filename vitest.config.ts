import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const GLOBAL_SETUP = 'test/support/global-setup.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    globalSetup: existsSync(GLOBAL_SETUP) ? [GLOBAL_SETUP] : [],
    // A process each: a test file may kill, leak or exhaust what is its own without touching another's.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/test-report.json' }]],
  },
})
