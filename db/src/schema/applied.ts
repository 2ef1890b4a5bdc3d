import postgres from 'postgres'
import type { FunctionSet, Migration } from './migration-files.ts'

/** What was applied to the database. */
export interface Applied {
  migrations: { version: number; name: string; sha256: string; leastCode: number }[]
  functions: { version: number; sha256: string } | undefined
}

export const BOOKKEEPING = `
  create table public.schema_migrations (
    version integer primary key,
    name text not null,
    sha256 text not null,
    -- The least version of code that may work on the database since.
    least_code integer not null,
    applied_at timestamptz not null default now()
  );
  create table public.schema_functions (
    singleton boolean primary key default true check (singleton),
    version integer not null,
    sha256 text not null,
    applied_at timestamptz not null default now()
  );
  -- How far the batches of an online migration have come.
  create table public.schema_progress (
    version integer primary key,
    position text not null default '',
    changed_rows bigint not null default 0,
    started_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  -- The login role reads them before it takes on the owner's role.
  grant select on public.schema_migrations, public.schema_functions, public.schema_progress to public;
`

/** Returns undefined for a database without Earshot's schema. */
export async function readApplied(sql: postgres.Sql): Promise<Applied | undefined> {
  try {
    const rows = await sql<{ kind: 'migration' | 'functions'; version: number; name: string; sha256: string; leastCode: number }[]>`
      select 'migration' as kind, version, name, sha256, least_code as "leastCode" from public.schema_migrations
      union all
      select 'functions', version, '', sha256, 0 from public.schema_functions
    `
    return {
      migrations: rows.filter(({ kind }) => kind === 'migration'),
      functions: rows.find(({ kind }) => kind === 'functions'),
    }
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === '42P01') return undefined
    throw error
  }
}

export async function recordMigration(sql: postgres.Sql, { version, name, sha256, leastCode }: Migration): Promise<void> {
  await sql`
    insert into public.schema_migrations (version, name, sha256, least_code)
    values (${version}, ${name}, ${sha256}, ${leastCode})
  `
}

export async function recordFunctions(sql: postgres.Sql, { version, sha256 }: FunctionSet): Promise<void> {
  await sql`
    insert into public.schema_functions (version, sha256)
    values (${version}, ${sha256})
    on conflict (singleton) do update set version = excluded.version, sha256 = excluded.sha256, applied_at = now()
  `
}
