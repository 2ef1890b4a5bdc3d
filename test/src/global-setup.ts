import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseAddress, prepareDatabase, startEmbeddedPostgres } from '@earshot/db'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: DatabaseAddress
  }
}

const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 4 * 1024 ** 3

let undo = async () => {}

/** One PostgreSQL for the whole run; its migrated database is the template that each test file clones. */
export async function setup(project: TestProject): Promise<void> {
  const dataDir = mkdtempSync(join(quickDirectory(), 'earshot-suite-'))
  chmodSync(dataDir, 0o711)
  const postgres = await startEmbeddedPostgres({ dataDir })
  await prepareDatabase(postgres.connection)
  project.provide('postgres', postgres.connection)
  undo = async () => {
    await postgres.stop()
    rmSync(dataDir, { recursive: true })
  }
}

/** A clone of the template is a copy of some hundred files: in memory, where there is room, it takes a tenth of the time. */
function quickDirectory(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir()
}

export async function teardown(): Promise<void> {
  await undo()
}
