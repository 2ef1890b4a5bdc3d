import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import { clientOf } from '../driver/connect.ts'
import type { DatabaseAddress } from '../driver/database.ts'
import type { SqlFile } from './migration-files.ts'
import { DatabaseSetupError } from './setup-error.ts'

/** Any number, the same in every replica; spells EARS. Who holds it runs migrations, of either kind. */
export const LOCK_KEY = 0x45415253
/** The lock of the functions: a replica that brings only functions does not wait for an index that is being built. */
export const FUNCTIONS_LOCK_KEY = LOCK_KEY + 1

/**
 * A migration that waits for a table blocks every statement behind it. It waits for a moment, gives way, and tries again after longer and
 * longer pauses: so a table that is busy all day is migrated in a pause, and the old version works meanwhile. After long in vain it
 * fails, and has changed nothing.
 */
const LOCK_TIMEOUT_MS = 250
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
const GIVE_UP_MS = 15 * 60_000
const TELL_EVERY_MS = 60_000
/** SQLSTATE `lock_not_available`, and `deadlock_detected`. */
const GIVEN_WAY: readonly string[] = ['55P03', '40P01']

/**
 * Does work with a connection of its own, and closes it. Fails when the connection is lost, which the driver does not tell
 * statements that follow on a reserved connection, and when `abandoned` rejects.
 */
export async function withClient<Result>(
  address: DatabaseAddress,
  work: (client: postgres.Sql) => Promise<Result>,
  abandoned?: Promise<never>,
): Promise<Result> {
  const { promise: lost, reject } = Promise.withResolvers<never>()
  // Later than the statement in flight, which knows more of the cause.
  const client = openClient(address, () => setImmediate(() => reject(connectionLost())))
  try {
    return await Promise.race([work(client), lost, abandoned ?? lost])
  } finally {
    await client.end({ timeout: 0 })
  }
}

function openClient(address: DatabaseAddress, onclose: () => void): postgres.Sql {
  return clientOf(address, {
    max: 1,
    max_lifetime: null,
    fetch_types: false,
    onclose,
    onnotice: () => {},
    connection: { application_name: 'earshot migrate' },
  })
}

function connectionLost(): Error {
  return Object.assign(new Error('The connection to the database was lost'), { code: 'CONNECTION_CLOSED' })
}

/** Waits for a lock, without limit, and does work under it. */
export async function withLock<Result>(connection: postgres.Sql, key: number, work: () => Promise<Result>): Promise<Result> {
  try {
    // The lock belongs to the connection and outlives this transaction, which only lifts the connection's limits for the wait.
    await connection.unsafe(`
      begin;
      set local statement_timeout = 0;
      set local lock_timeout = 0;
      select pg_advisory_lock(${key});
      commit;
    `)
    return await work()
  } finally {
    await unlock(connection, key)
  }
}

/** Does work under a lock unless somebody else holds it; returns null then. */
export async function underFreeLock<Result>(connection: postgres.Sql, key: number, work: () => Promise<Result>): Promise<Result | null> {
  const [row] = await connection<{ isGranted: boolean }[]>`select pg_try_advisory_lock(${key}) as "isGranted"`
  if (!row?.isGranted) return null
  try {
    return await work()
  } finally {
    await unlock(connection, key)
  }
}

async function unlock(connection: postgres.Sql, key: number): Promise<void> {
  // Fails only with the connection itself, and then the lock is gone too.
  await connection`select pg_advisory_unlock(${key})`.catch(() => {})
}

/**
 * Does work in one transaction as the owner of the schema. It is done again from the start when a table is busy: `onBusy` is called the
 * first time, and then once a minute.
 */
export async function inTransaction<Result>(
  connection: postgres.Sql,
  work: () => Promise<Result>,
  onBusy: () => void = () => {},
): Promise<Result> {
  const startedMs = performance.now()
  let toldMs = Number.NEGATIVE_INFINITY
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return await inOneTransaction(connection, work)
    } catch (error) {
      const nowMs = performance.now()
      if (!hasGivenWay(error) || nowMs - startedMs > GIVE_UP_MS) throw error
      if (nowMs - toldMs >= TELL_EVERY_MS) {
        onBusy()
        toldMs = nowMs
      }
      await delay(pauseMs)
    }
  }
}

function hasGivenWay(error: unknown): boolean {
  const cause = error instanceof DatabaseSetupError ? error.cause : error
  return cause instanceof postgres.PostgresError && GIVEN_WAY.includes(cause.code)
}

async function inOneTransaction<Result>(connection: postgres.Sql, work: () => Promise<Result>): Promise<Result> {
  await connection.unsafe(`
    begin;
    set local role earshot_owner;
    set local search_path = public;
    set local lock_timeout = ${LOCK_TIMEOUT_MS};
    set local statement_timeout = 0;
    set local client_min_messages = warning;
  `)
  try {
    const result = await work()
    await connection`commit`
    return result
  } catch (error) {
    // Fails only with the connection, which rolls back by itself.
    await connection`rollback`.catch(() => {})
    throw error
  }
}

/** Does work as the owner of the schema, each statement for itself and without a limit of time. */
export async function outsideTransaction(connection: postgres.Sql, work: () => Promise<unknown>): Promise<void> {
  await connection.unsafe(`
    set role earshot_owner;
    set search_path = public;
    set lock_timeout = 0;
    set statement_timeout = 0;
  `)
  try {
    await work()
  } finally {
    await connection.unsafe('reset role; reset search_path; reset lock_timeout; reset statement_timeout').catch(() => {})
  }
}

/** Runs statements of a file. Throws `DatabaseSetupError`, with the file and the line, for one that fails. */
export async function runFile<Result>(kind: string, { fileName, text }: SqlFile, run: (text: string) => Promise<Result>): Promise<Result> {
  try {
    return await run(text)
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error
    const line = error.position ? ` at line ${text.slice(0, Number(error.position)).split('\n').length}` : ''
    throw new DatabaseSetupError(`${kind} ${fileName} failed${line}: ${error.message}.`, { cause: error })
  }
}
