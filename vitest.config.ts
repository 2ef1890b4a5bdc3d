import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const GLOBAL_SETUP = 'test/support/global-setup.ts'

/** Files that take longest, because they start processes or wait: one of them last would leave the other worker idle. */
const SLOW = /\/test\/(fault|tour)\/|access-matrix|event-stream/

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

function isSlow({ moduleId }: TestSpecification): boolean {
  return SLOW.test(moduleId)
}

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
    sequence: { sequencer: SlowFirst },
    testTimeout: 20_000,
    // Longer than the service may take: a stream looks for events once a second while the database is slow.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/test-report.json' }]],
  },
})
