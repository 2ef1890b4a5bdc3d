import { dirname } from 'node:path'
import { inject } from 'vitest'
import { type DataDir, makeDataDir } from './data-dir.ts'

/** Makes a data directory with a migrated database, as after a first start: a service starts on it in half the time. */
export function makePreparedDataDir(): DataDir {
  const copyOf = inject('preparedDataDir')
  return makeDataDir({ copyOf, parent: dirname(dirname(copyOf)) })
}
