import type { Database } from '@earshot/db'
import { parentOf } from './processor-time.ts'

/** PostgreSQL's first process: the one that started the backend of this very session. */
export async function findPostgres({ client }: Database): Promise<number> {
  const [row] = await client<[{ pid: number }]>`select pg_backend_pid() as pid`
  return parentOf(row.pid)
}
