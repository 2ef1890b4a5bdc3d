import type { Database } from '@earshot/db'
import { parentOf } from './processor-time.ts'

/** Returns the pid of PostgreSQL's main process, the parent of the backend of this connection. */
export async function findPostgres({ client }: Database): Promise<number> {
  const [row] = await client<[{ pid: number }]>`select pg_backend_pid() as pid`
  return parentOf(row.pid)
}
