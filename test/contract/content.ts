import type { TestService } from '../support/test-service.ts'

/**
 * A checksum of every product table. Counters of requests are left out, and so is the time of a credential's last use: a
 * refused request may change those.
 */
export async function contentOf({ database }: TestService): Promise<Record<string, string>> {
  const tables = await database.client<{ name: string }[]>`
    select relname as name
      from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname not in ('rate_windows', 'abuse_blocks', 'schema_migrations', 'schema_functions', 'schema_progress')
     order by 1`
  const content: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await database.client.unsafe<{ sum: string }[]>(
      `select md5(coalesce(string_agg((to_jsonb(t) - 'last_used_at')::text, '|' order by (to_jsonb(t) - 'last_used_at')::text), '')) as sum from ${name} t`,
    )
    content[name] = row?.sum ?? ''
  }
  return content
}
