import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How workers of tests transcode. Pauses after what a busy machine can cause are a minute and half of one outside of tests. */
export const transcoding = {
  ...{ concurrency: 1, folder: join(tmpdir(), 'earshot-transcodes'), keepOriginalsDays: 30 },
  ...{ waitMs: 1_000, retryMs: 100 },
}
