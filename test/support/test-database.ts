import { randomBytes } from 'node:crypto'
import { type Database, type DatabaseAddress, openDatabase } from '@earshot/db'
import postgres from 'postgres'
import { inject } from 'vitest'

export interface TestDatabase {
  address: DatabaseAddress
  /** The pool of the service under test. */
  database: Database
  /** Every statement that the pool sent, in order. */
  statements: string[]
  close: () => Promise<void>
}

interface TestDatabaseOptions {
  poolSize?: number
  /** A database that nobody is connected to; the migrated template unless given. */
  template?: DatabaseAddress
}

/** Opens a database of the test's own, cloned from a template. */
export async function openTestDatabase({ poolSize = 8, template }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = inject('postgres')
  const name = `test_${randomBytes(6).toString('hex')}`
  await onServer(server, (sql) => sql.unsafe(`create database ${name} template ${(template ?? server).database} strategy file_copy`))
  const address = { ...server, database: name }
  const statements: string[] = []
  const database = openDatabase({
    address,
    role: 'earshot_worker',
    poolSize,
    applicationName: 'earshot test',
    onStatement: (text) => statements.push(text),
  })
  return {
    address,
    database,
    statements,
    close: async () => {
      await database.close()
      await onServer(server, (sql) => sql.unsafe(`drop database ${name} with (force)`))
    },
  }
}

async function onServer(server: DatabaseAddress, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres({ ...server, database: 'postgres', max: 1, onnotice: () => {} })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}
