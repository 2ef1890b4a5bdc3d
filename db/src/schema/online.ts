import type postgres from 'postgres'
import { recordMigration } from './applied.ts'
import type { Migration } from './migration-files.ts'
import { inTransaction, outsideTransaction, runFile } from './owner-connection.ts'

/** One statement that builds an index: an online migration of this form may name a partitioned table. */
const INDEX = /^create (?<unique>unique )?index concurrently (?<name>\w+)\s+on (?<table>\w+)\s+(?<rest>[^;]+);?\s*$/
const COMMENTS = /^--.*\n/gm
/** The parameter by which a statement gets where its last batch ended: it runs in batches. */
const POSITION = '$1'

/** What one step of an online migration did. */
export interface Step {
  /** How many rows a batch changed. */
  changedRows: number
  isFinished: boolean
}

interface Index {
  unique?: string
  name: string
  table: string
  rest: string
}

/**
 * Runs the next step of an online migration: an index of one table or partition, one batch of rows, or its only statement. It can
 * be interrupted anywhere and run again. The caller holds the lock of the migrations. Throws `DatabaseSetupError` when it fails.
 */
export async function runStep(connection: postgres.Sql, migration: Migration): Promise<Step> {
  const index = INDEX.exec(migration.text.replace(COMMENTS, ''))?.groups
  // The pattern's groups are those of an index.
  if (index) return buildIndex(connection, migration, index as unknown as Index)
  if (migration.text.includes(POSITION)) return changeBatch(connection, migration)
  await outsideTransaction(connection, () => runFile('Migration', migration, (text) => connection.unsafe(text)))
  await inTransaction(connection, () => recordMigration(connection, migration))
  return { changedRows: 0, isFinished: true }
}

async function buildIndex(connection: postgres.Sql, migration: Migration, index: Index): Promise<Step> {
  const { unique = '', name, table, rest } = index
  const missing = await findMissingIndex(connection, index)
  if (missing) {
    await outsideTransaction(connection, async () => {
      // What a build leaves behind that was interrupted, or failed.
      await connection.unsafe(`drop index concurrently if exists ${missing.name}`)
      const text = `create ${unique}index concurrently ${missing.name} on ${missing.table} ${rest}`
      await runFile('Migration', { ...migration, text }, () => connection.unsafe(text))
    })
    return { changedRows: 0, isFinished: false }
  }
  await inTransaction(connection, async () => {
    // On a partitioned table it takes over the indexes of the partitions, which are all there.
    await connection.unsafe(`create ${unique}index if not exists ${name} on ${table} ${rest}`)
    await recordMigration(connection, migration)
  })
  return { changedRows: 0, isFinished: true }
}

/** Finds a table or partition whose index is missing or invalid. PostgreSQL builds no index of a partitioned table concurrently. */
async function findMissingIndex(connection: postgres.Sql, { name, table }: Index): Promise<{ name: string; table: string } | undefined> {
  const [row] = await connection<{ name: string; table: string }[]>`
    with targets as (
      select t.relname as table_name,
             ${name} || substr(t.relname, length(${table}::text) + 1) as index_name
        from pg_class parent
        join pg_class t
          on t.relkind = 'r'
         and (t.oid = parent.oid or t.oid in (select inhrelid from pg_inherits where inhparent = parent.oid))
       where parent.oid = to_regclass('public.' || ${table})
    )
    select g.index_name as name, g.table_name as table
      from targets g
     where not exists (
             select
               from pg_index i
               join pg_class c on c.oid = i.indexrelid
              where c.relnamespace = 'public'::regnamespace and c.relname = g.index_name and i.indisvalid
           )
     order by g.table_name
     limit 1
  `
  return row
}

/** A batch commits together with how far it came, so none is repeated or left out. */
function changeBatch(connection: postgres.Sql, migration: Migration): Promise<Step> {
  const { version } = migration
  return inTransaction(connection, async () => {
    const [progress] = await connection<{ position: string }[]>`
      insert into schema_progress (version)
      values (${version})
      on conflict (version) do update set updated_at = now()
      returning position
    `
    const [batch] = await runFile('Migration', migration, (text) =>
      connection.unsafe<{ position: string | null; changed_rows: number }[]>(text, [progress?.position ?? '']),
    )
    const isFinished = batch === undefined || batch.position === null
    if (isFinished) await recordMigration(connection, migration)
    else
      await connection`
        update schema_progress
           set position = ${batch.position}, changed_rows = changed_rows + ${batch.changed_rows}
         where version = ${version}
      `
    return { changedRows: Number(batch?.changed_rows ?? 0), isFinished }
  })
}
