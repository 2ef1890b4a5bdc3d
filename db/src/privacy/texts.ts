import { type SQL, sql } from 'drizzle-orm'
import { columnsErasedBy, type PersonalColumn, type PersonalTable } from './registry.ts'

/** The texts of a row, of the alias `s`, with which an erasure does this. */
export function textsOf(table: PersonalTable, ...erase: PersonalColumn['erase'][]): SQL {
  const columns = erase.flatMap((how) => columnsErasedBy(table, how))
  return sql.raw(`concat_ws(E'\\n', ${columns.map((name) => `s.${name}::text`).join(', ')})`)
}

/** The name of a file without its extension, with which `ada@example.com.csv` reads as another address. */
export function withoutExtension(name: SQL): SQL {
  return sql`regexp_replace(${name}, '\\.[^.]*$', '')`
}
