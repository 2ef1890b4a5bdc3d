import { fileURLToPath } from 'node:url'
import type postgres from 'postgres'
import type { DatabaseAddress } from '../driver/database.ts'
import { BOOKKEEPING, readApplied, recordFunctions, recordMigration } from './applied.ts'
import { type FunctionSet, type Migration, readFunctions, readMigrations } from './migration-files.ts'
import { runStep } from './online.ts'
import { FUNCTIONS_LOCK_KEY, inTransaction, LOCK_KEY, runFile, withClient, withLock } from './owner-connection.ts'
import { makePlan, type Plan, type Wanted } from './plan.ts'
import { ensureRoles } from './roles.ts'
import { DatabaseSetupError } from './setup-error.ts'

/** As `server_version_num` counts: uuidv7() came with it. */
const OLDEST_SERVER = 180_000

export interface Directories {
  /** Default: those of the product. */
  migrationsDir?: string
  functionsDir?: string
}

/** Gets a line for the log of the service. */
export type Tell = (line: string) => void

export type MigrateOptions = Directories & { tell?: Tell } & ({ address: DatabaseAddress } | { client: postgres.Sql })

export interface MigrateResult {
  /** File names, in the order in which they were applied. */
  migrations: string[]
  functionsApplied: boolean
  /** The version of this code's functions, and of its plans. */
  functionsVersion: number
}

/**
 * Migrates the database to this version: roles, then each missing migration in a transaction of its own, then the functions unless
 * newer ones are there. Online migrations are left to the worker, but for those that another migration comes after. Any number
 * of replicas may call it at once. Without changes it costs one query. Throws `DatabaseSetupError` for a database that this code
 * is too old for, a migration changed after it was applied, one that fails, and roles that cannot be created.
 */
export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  const wanted = await readWanted(options)
  const { tell = () => {} } = options
  if ('client' in options) return bringUp(options.client, wanted, tell)
  return withClient(options.address, (client) => bringUp(client, wanted, tell))
}

/** Reads the migrations and functions of this code. */
export async function readWanted({
  migrationsDir = ownDirectory('migrations'),
  functionsDir = ownDirectory('functions'),
}: Directories): Promise<Wanted> {
  const [migrations, functions] = await Promise.all([readMigrations(migrationsDir), readFunctions(functionsDir)])
  return { migrations, functions }
}

async function bringUp(client: postgres.Sql, wanted: Wanted, tell: Tell): Promise<MigrateResult> {
  const functionsVersion = wanted.functions.version
  const first = makePlan(await readApplied(client), wanted)
  if (isDone(first)) return { migrations: [], functionsApplied: false, functionsVersion }
  const connection = await client.reserve()
  try {
    const migrations = first.migrations.length > 0 ? await withLock(connection, LOCK_KEY, () => applyMissing(connection, wanted, tell)) : []
    const functionsApplied = await withLock(connection, FUNCTIONS_LOCK_KEY, () => applyFunctions(connection, wanted, tell))
    return { migrations: migrations.map(({ fileName }) => fileName), functionsApplied, functionsVersion }
  } finally {
    connection.release()
  }
}

async function applyMissing(connection: postgres.Sql, wanted: Wanted, tell: Tell): Promise<Migration[]> {
  // Read again: another replica may have migrated during the wait.
  const applied = await readApplied(connection)
  const { migrations } = makePlan(applied, wanted)
  if (migrations.length === 0) return []
  await requireVersion(connection)
  await ensureRoles(connection)
  if (applied === undefined) await inTransaction(connection, () => connection.unsafe(BOOKKEEPING))
  for (const migration of migrations) await applyMigration(connection, migration, tell)
  return migrations
}

async function requireVersion(connection: postgres.Sql): Promise<void> {
  const [row] = await connection<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name
  `
  if (row && row.number < OLDEST_SERVER) throw new DatabaseSetupError(`Earshot needs PostgreSQL 18 or newer; this is ${row.name}.`)
}

async function applyMigration(connection: postgres.Sql, migration: Migration, tell: Tell): Promise<void> {
  if (migration.isOnline) {
    while (!(await runStep(connection, migration)).isFinished);
    return
  }
  const apply = async () => {
    await runFile('Migration', migration, (text) => connection.unsafe(text))
    await recordMigration(connection, migration)
  }
  await inTransaction(connection, apply, () => tell(waiting(`The migration ${migration.fileName}`)))
}

function waiting(what: string): string {
  return `${what} waits for a table that is in use. It gives way and tries again, for up to 15 minutes.`
}

async function applyFunctions(connection: postgres.Sql, wanted: Wanted, tell: Tell): Promise<boolean> {
  const { functions } = makePlan(await readApplied(connection), wanted)
  const onBusy = () => tell(waiting('The update of the functions'))
  if (functions) await inTransaction(connection, () => replaceFunctions(connection, functions), onBusy)
  return functions !== undefined
}

async function replaceFunctions(connection: postgres.Sql, functions: FunctionSet): Promise<void> {
  // Bodies may name functions of later files.
  await connection`set local check_function_bodies = off`
  for (const file of functions.files) await runFile('Function', file, (text) => connection.unsafe(text))
  await recordFunctions(connection, functions)
}

function isDone({ migrations, functions }: Plan): boolean {
  return migrations.length === 0 && functions === undefined
}

function ownDirectory(name: string): string {
  return fileURLToPath(new URL(`../../${name}/`, import.meta.url))
}
