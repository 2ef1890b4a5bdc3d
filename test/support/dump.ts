import type { DatabaseAddress } from '@earshot/db'
import postgres from 'postgres'

/** Returns the text of every row of every table, by table; bytes as the text that they hold. A partition counts as its table. */
export async function dumpWhole(address: DatabaseAddress): Promise<Record<string, string>> {
  const sql = postgres({ ...address, max: 1, onnotice: () => {} })
  try {
    const tables = await sql<{ name: string; bytes: string[] }[]>`
      select case n.nspname when 'public' then c.relname else n.nspname || '.' || c.relname end as name,
             array(select format('encode(t.%I, %L)', a.attname, 'escape')
                     from pg_attribute a
                    where a.attrelid = c.oid and a.atttypid = 'bytea'::regtype and not a.attisdropped) as bytes
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p') and not c.relispartition`
    const texts: Record<string, string> = {}
    for (const { name, bytes } of tables) {
      const parts = ['t::text', ...bytes].join(', ')
      const [row] = await sql.unsafe<{ text: string | null }[]>(`select string_agg(concat_ws(' ', ${parts}), E'\n') as text from ${name} t`)
      texts[name] = row?.text ?? ''
    }
    return texts
  } finally {
    await sql.end()
  }
}
