import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir } from './clusters.ts'

/** A table with one row. */
export const CREATE_NOTES = 'create table notes (id integer primary key, body text not null);\ninsert into notes values (1, $$one$$);'
const COUNT_NOTES = 'create or replace function count_notes() returns bigint language sql as $$ select count(*) from notes $$;'

/** Makes directories with the files given. */
export function writeSql(
  migrations: Record<string, string>,
  functions: Record<string, string> = { 'count_notes.sql': COUNT_NOTES },
  functionsVersion = 1,
) {
  const root = makeDataDir()
  const directories = { migrationsDir: join(root, 'migrations'), functionsDir: join(root, 'functions') }
  for (const [directory, files] of [
    [directories.migrationsDir, migrations],
    [directories.functionsDir, functions],
  ] as const) {
    mkdirSync(directory)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  }
  writeFileSync(join(directories.functionsDir, 'version.json'), JSON.stringify({ version: functionsVersion }))
  return directories
}
