import type { TestService } from '../support/test-service.ts'

const ROW = "(to_jsonb(t) - 'last_used_at')::text"

/**
 * A checksum of every product table and partition that has rows. Counters of requests are left out, and so is the time of a credential's
 * last use: a refused request may change those.
 */
export async function contentOf({ database }: TestService): Promise<Record<string, string>> {
  const rows = await database.client.begin(async (sql) => {
    // The service's role cannot read a partition by its name.
    await sql`set local role none`
    // Most partitions never had a row: to plan the reading of all takes longer than to read the others.
    const tables = await sql<{ name: string }[]>`
      select relname as name
        from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0
         and relname not in ('rate_windows', 'abuse_blocks', 'schema_migrations', 'schema_functions', 'schema_progress')
       order by 1`
    const sums = tables.map(({ name }) => `select '${name}' as name, md5(string_agg(${ROW}, '|' order by ${ROW})) as sum from ${name} t`)
    return sql.unsafe<{ name: string; sum: string | null }[]>(sums.join('\n union all '))
  })
  return Object.fromEntries(rows.flatMap(({ name, sum }) => (sum === null ? [] : [[name, sum]])))
}
