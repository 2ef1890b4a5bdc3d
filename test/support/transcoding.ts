import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findImageConverter, findTranscoder } from '@earshot/drivers'

/** With the priority of the tests themselves: with that of the service they would hardly run on a machine that does something else. */
const PRIORITY = { niceness: 0 }

let transcoder: ReturnType<typeof findTranscoder> | undefined
let converter: ReturnType<typeof findImageConverter> | undefined

/** Finds the transcoder of this machine, once for all workers: each look starts a process. A worker that stops ends its own transcodes. */
async function findSharedTranscoder(): ReturnType<typeof findTranscoder> {
  transcoder ??= findTranscoder(PRIORITY)
  const found = await transcoder
  return 'missing' in found ? found : { transcoder: { ...found.transcoder, close: async () => {} } }
}

/** Finds the converter of this machine, once for all workers. */
export function findSharedConverter(): ReturnType<typeof findImageConverter> {
  converter ??= findImageConverter(PRIORITY)
  return converter
}

/** How workers of tests transcode. Outside of tests, pauses after what a busy machine can cause are a minute and half of one, and a worker looks every 2.5 seconds. */
export const transcoding = {
  ...{ concurrency: 1, folder: join(tmpdir(), 'earshot-transcodes'), keepOriginalsDays: 30, find: findSharedTranscoder },
  ...{ waitMs: 1_000, retryMs: 100, pollMs: 100 },
}
