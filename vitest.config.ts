import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const GLOBAL_SETUP = 'test/support/global-setup.ts'

/** Files that take longest, because they start processes or wait: one of them last would leave the other worker idle. */
const SLOW = /access-matrix|event-stream|\/(transcoding|import-workers|durability|availability|tour)\.test/

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
    // Three processes run all files, each loading the service once: loading takes longer than most files do. Files wait for a third
    // of their time, so that three keep two processors busy; those with faults get two (`npm run test:fault`). A test undoes what it
    // changes of its process, and kills only processes that it started.
    pool: 'forks',
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    // Tests take a second or so. On a busy machine they may take far longer, which is no failure.
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    // A file that passes prints one line: no output of its tests, and none for each that takes long. The report has all durations.
    silent: 'passed-only',
    slowTestThreshold: Number.MAX_SAFE_INTEGER,
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/test-report.json' }]],
  },
})
