import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const GLOBAL_SETUP = 'test/support/global-setup.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    globalSetup: existsSync(GLOBAL_SETUP) ? [GLOBAL_SETUP] : [],
    // Two processes run all files, each loading the service once: loading takes longer than most files do. A test undoes
    // what it changes of its process, and kills only processes that it started.
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/test-report.json' }]],
  },
})
