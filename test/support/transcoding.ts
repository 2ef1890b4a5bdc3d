import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How workers of tests transcode. */
export const transcoding = { concurrency: 1, folder: join(tmpdir(), 'earshot-transcodes'), keepOriginalsDays: 30 }
