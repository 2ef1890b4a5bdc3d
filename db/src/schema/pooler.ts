import { connect } from '../driver/connect.ts'
import { type Connection, openConnection } from '../driver/connection.ts'
import type { DatabaseAddress } from '../driver/database.ts'
import { DatabaseSetupError } from './setup-error.ts'

/** One finds out on a quiet pooler. The others are for one that other clients use meanwhile. */
const ROUNDS = 5

/**
 * Throws `DatabaseSetupError` when a pooler gives each transaction or statement another connection of PostgreSQL: roles,
 * settings, prepared statements and locks would be those of other clients.
 */
export async function requireOwnConnections(address: DatabaseAddress): Promise<void> {
  const options = { address, poolSize: 1, applicationName: 'earshot pooler check' }
  // Without settings: they would stay on a connection that others use.
  const open = () => openConnection((extent) => connect(options, { max: 1, ...extent }), '')
  const [one, other] = [open(), open()]
  try {
    if (await areShared(one, other))
      throw new DatabaseSetupError(
        'DATABASE_URL is the address of a pooler in transaction or statement mode, which Earshot does not support: put it into session mode (PgBouncer: pool_mode = session) or connect directly.',
      )
  } finally {
    await Promise.all([one.end(), other.end()])
  }
}

/**
 * Whether two open connections were ever served by the same process of PostgreSQL, or one by two. A pooler that lends the
 * process it used last shows the first, and one that takes turns the second, as both connections ask twice.
 */
async function areShared(one: Connection, other: Connection): Promise<boolean> {
  const [first, second] = [await readPid(one), await readPid(other)]
  for (let round = 0; round < ROUNDS; round += 1) {
    if (first === second || (await readPid(other)) !== second || (await readPid(one)) !== first) return true
  }
  return false
}

async function readPid(connection: Connection): Promise<number | undefined> {
  const { rows } = await connection.send<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}
