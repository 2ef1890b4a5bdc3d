import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseAddress, prepareDatabase, startEmbeddedPostgres } from '@earshot/db'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: DatabaseAddress
  }
}

let undo = async () => {}

/** One PostgreSQL for the whole run; its migrated database is the template that each test file clones. */
export async function setup(project: TestProject): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'earshot-suite-'))
  chmodSync(dataDir, 0o711)
  const postgres = await startEmbeddedPostgres({ dataDir })
  await prepareDatabase(postgres.connection)
  project.provide('postgres', postgres.connection)
  undo = async () => {
    await postgres.stop()
    rmSync(dataDir, { recursive: true })
  }
}

export async function teardown(): Promise<void> {
  await undo()
}
