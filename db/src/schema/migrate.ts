import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import type { DatabaseAddress } from '../driver/database.ts'
import { type FunctionSet, type Migration, readFunctions, readMigrations, type SqlFile } from './migration-files.ts'
import { ensureRoles } from './roles.ts'
import { DatabaseSetupError } from './setup-error.ts'

/** Any number, the same in every replica; spells EARS. */
export const LOCK_KEY = 0x45415253

/** As `server_version_num` counts: uuidv7() came with it. */
const OLDEST_SERVER = 180_000

/** A migration that waits longer for a table would block every statement behind it: it fails instead, and changes nothing. */
const LOCK_TIMEOUT_MS = 10_000

const BOOKKEEPING = `
  create table public.schema_migrations (
    version integer primary key,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now()
  );
  create table public.schema_functions (
    singleton boolean primary key default true check (singleton),
    sha256 text not null,
    applied_at timestamptz not null default now()
  );
  -- The login role reads them before it takes on the owner's role.
  grant select on public.schema_migrations, public.schema_functions to public;
`

export type MigrateOptions = {
  /** Default: those of the product. */
  migrationsDir?: string
  functionsDir?: string
} & ({ address: DatabaseAddress } | { client: postgres.Sql })

export interface MigrateResult {
  /** File names, in the order in which they were applied. */
  migrations: string[]
  functionsApplied: boolean
}

/** The migrations and functions of this version. */
interface Wanted {
  migrations: Migration[]
  functions: FunctionSet
}

/** What was applied to the database. */
interface Recorded {
  migrations: { version: number; name: string; sha256: string }[]
  functionsSha256: string | undefined
}

interface Plan {
  migrations: Migration[]
  functions: FunctionSet | undefined
}

/**
 * Migrates the database to this version: roles, then each missing migration in a transaction of its own, then the functions if any changed.
 * Any number of replicas may call it at once. Without changes it costs one query. Throws `DatabaseSetupError`
 * for a database ahead of the code, a migration changed after it was applied, one that fails, and roles that cannot be created.
 */
export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  const { migrationsDir = ownDirectory('migrations'), functionsDir = ownDirectory('functions') } = options
  const [migrations, functions] = await Promise.all([readMigrations(migrationsDir), readFunctions(functionsDir)])
  if ('client' in options) return bringUp(options.client, { migrations, functions })
  const { url, ...parts } = options.address
  const settings = { max: 1, fetch_types: false, onnotice: () => {}, connection: { application_name: 'earshot migrate' } }
  const client = url ? postgres(url, settings) : postgres({ ...parts, ...settings })
  try {
    return await bringUp(client, { migrations, functions })
  } finally {
    await client.end({ timeout: 5 })
  }
}

async function bringUp(client: postgres.Sql, wanted: Wanted): Promise<MigrateResult> {
  if (isDone(plan(await readRecorded(client), wanted))) return { migrations: [], functionsApplied: false }
  const connection = await client.reserve()
  try {
    // The lock belongs to the connection and outlives this transaction, which only lifts the connection's limits for the wait.
    await connection.unsafe(`
      begin;
      set local statement_timeout = 0;
      set local lock_timeout = 0;
      select pg_advisory_lock(${LOCK_KEY});
      commit;
    `)
    return await applyPlan(connection, wanted)
  } finally {
    // Fails only with the connection itself, and then the lock is gone too.
    await connection`select pg_advisory_unlock(${LOCK_KEY})`.catch(() => {})
    connection.release()
  }
}

async function applyPlan(connection: postgres.Sql, wanted: Wanted): Promise<MigrateResult> {
  // Read again: another replica may have migrated during the wait.
  const recorded = await readRecorded(connection)
  const { migrations, functions } = plan(recorded, wanted)
  if (isDone({ migrations, functions })) return { migrations: [], functionsApplied: false }
  await requireVersion(connection)
  await ensureRoles(connection)
  if (recorded === undefined) await inTransaction(connection, () => connection.unsafe(BOOKKEEPING))
  for (const migration of migrations) await inTransaction(connection, () => applyMigration(connection, migration))
  if (functions) await inTransaction(connection, () => applyFunctions(connection, functions))
  return { migrations: migrations.map(({ fileName }) => fileName), functionsApplied: functions !== undefined }
}

async function requireVersion(connection: postgres.Sql): Promise<void> {
  const [row] = await connection<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name
  `
  if (row && row.number < OLDEST_SERVER) throw new DatabaseSetupError(`Earshot needs PostgreSQL 18 or newer; this is ${row.name}.`)
}

async function applyMigration(connection: postgres.Sql, migration: Migration): Promise<void> {
  const { version, name, sha256 } = migration
  await runFile(connection, 'Migration', migration)
  await connection`insert into public.schema_migrations (version, name, sha256) values (${version}, ${name}, ${sha256})`
}

async function applyFunctions(connection: postgres.Sql, { files, sha256 }: FunctionSet): Promise<void> {
  // Bodies may name functions of later files.
  await connection`set local check_function_bodies = off`
  for (const file of files) await runFile(connection, 'Function', file)
  await connection`
    insert into public.schema_functions (sha256)
    values (${sha256})
    on conflict (singleton) do update set sha256 = excluded.sha256, applied_at = now()
  `
}

async function runFile(connection: postgres.Sql, kind: string, { fileName, text }: SqlFile): Promise<void> {
  try {
    await connection.unsafe(text)
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error
    const line = error.position ? ` at line ${text.slice(0, Number(error.position)).split('\n').length}` : ''
    throw new DatabaseSetupError(`${kind} ${fileName} failed${line}: ${error.message}.`, { cause: error })
  }
}

async function inTransaction(connection: postgres.Sql, work: () => Promise<unknown>): Promise<void> {
  await connection.unsafe(`
    begin;
    set local role earshot_owner;
    set local search_path = public;
    set local lock_timeout = ${LOCK_TIMEOUT_MS};
    set local statement_timeout = 0;
    set local client_min_messages = warning;
  `)
  try {
    await work()
    await connection`commit`
  } catch (error) {
    // Fails only with the connection, which rolls back by itself.
    await connection`rollback`.catch(() => {})
    throw error
  }
}

/** Returns undefined for a database without Earshot's schema. */
async function readRecorded(sql: postgres.Sql): Promise<Recorded | undefined> {
  try {
    const rows = await sql<{ version: number | null; name: string; sha256: string }[]>`
      select version, name, sha256 from public.schema_migrations
      union all
      select null, 'functions', sha256 from public.schema_functions
    `
    const migrations = rows.flatMap(({ version, ...rest }) => (version === null ? [] : [{ version, ...rest }]))
    return { migrations, functionsSha256: rows.find(({ version }) => version === null)?.sha256 }
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === '42P01') return undefined
    throw error
  }
}

function plan(recorded: Recorded | undefined, wanted: Wanted): Plan {
  const applied = new Map(recorded?.migrations.map((migration) => [migration.version, migration]))
  const known = new Map(wanted.migrations.map((migration) => [migration.version, migration]))
  for (const { version, name, sha256 } of applied.values()) {
    const label = `${String(version).padStart(4, '0')}_${name}`
    const migration = known.get(version)
    if (!migration)
      throw new DatabaseSetupError(`The database is ahead of this Earshot: it holds the migration ${label}. Start a newer version.`)
    if (migration.sha256 !== sha256)
      throw new DatabaseSetupError(`The migration ${label} was changed after it was applied. Restore the file.`)
  }
  const latest = Math.max(0, ...applied.keys())
  const migrations = wanted.migrations.filter(({ version }) => !applied.has(version))
  const late = migrations.find(({ version }) => version < latest)
  if (late)
    throw new DatabaseSetupError(
      `The migration ${late.fileName} has a lower number than one that is already applied. Give it a higher number.`,
    )
  return { migrations, functions: recorded?.functionsSha256 === wanted.functions.sha256 ? undefined : wanted.functions }
}

function isDone({ migrations, functions }: Plan): boolean {
  return migrations.length === 0 && functions === undefined
}

function ownDirectory(name: string): string {
  return fileURLToPath(new URL(`../../${name}/`, import.meta.url))
}
