import postgres from 'postgres'
import { DatabaseSetupError } from './setup-error.ts'

/** The owner migrates the schema, app serves one team, worker works across teams. None of them logs in. */
const ROLES = ['earshot_owner', 'earshot_app', 'earshot_worker'] as const

/** Roles belong to the whole server, so replicas on its other databases may create them at the same time. */
const MAX_ROUNDS = 20

interface Gap {
  /** The statement that closes the gap. */
  statement: string
}

/**
 * Creates the three roles where they are missing, lets the login role assume them, and lets the owner create in this database.
 * Throws `DatabaseSetupError`, with the statements for an administrator, when something is missing and the login role may not create it.
 */
export async function ensureRoles(sql: postgres.Sql): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const gaps = await findGaps(sql)
    if (gaps.length === 0) return
    await closeGaps(sql, gaps)
  }
  throw await describeGaps(sql)
}

async function closeGaps(sql: postgres.Sql, gaps: readonly Gap[]): Promise<void> {
  try {
    for (const { statement } of gaps) await sql.unsafe(statement)
  } catch (error) {
    if (isRefusal(error)) throw await describeGaps(sql, error)
    if (!isRace(error)) throw error
  }
}

async function findGaps(sql: postgres.Sql): Promise<Gap[]> {
  const roles = await findRoleGaps(sql)
  // The owner's rights can be read only when there is an owner.
  return roles.some(({ statement }) => statement.startsWith('create')) ? roles : [...roles, ...(await findRightGaps(sql))]
}

async function findRoleGaps(sql: postgres.Sql): Promise<Gap[]> {
  const rows = await sql<{ name: string; present: boolean; usable: boolean; login: string }[]>`
    select
      wanted.name,
      pg_roles.oid is not null as present,
      coalesce(pg_has_role(session_user, pg_roles.oid, 'SET'), false) as usable,
      quote_ident(session_user) as login
    from unnest(string_to_array(${ROLES.join(' ')}, ' ')) as wanted (name)
    left join pg_roles on pg_roles.rolname = wanted.name
  `
  return rows.flatMap(({ name, present, usable, login }) => {
    const create = { statement: `create role ${name} nologin` }
    // The login role assumes a role by name and inherits nothing, so that row-level security binds the serving role.
    const grant = { statement: `grant ${name} to ${login} with inherit false, set true` }
    return [...(present ? [] : [create]), ...(usable ? [] : [grant])]
  })
}

async function findRightGaps(sql: postgres.Sql): Promise<Gap[]> {
  const [row] = await sql<{ database: string; onDatabase: boolean; onSchema: boolean }[]>`
    select
      quote_ident(current_database()) as database,
      has_database_privilege('earshot_owner', current_database(), 'create') as "onDatabase",
      has_schema_privilege('earshot_owner', 'public', 'create') as "onSchema"
  `
  const database = { statement: `grant create on database ${row?.database} to earshot_owner` }
  const schema = { statement: 'grant usage, create on schema public to earshot_owner' }
  return [...(row?.onDatabase ? [] : [database]), ...(row?.onSchema ? [] : [schema])]
}

async function describeGaps(sql: postgres.Sql, cause?: unknown): Promise<DatabaseSetupError> {
  const gaps = await findGaps(sql)
  const statements = gaps.map(({ statement }) => `${statement};`).join(' ')
  return new DatabaseSetupError(`The database's login role may not create the roles; let an administrator run: ${statements}`, { cause })
}

/** insufficient_privilege. */
function isRefusal(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '42501'
}

/** duplicate_object, unique_violation, and "tuple concurrently updated", an internal error: another replica was first. */
function isRace(error: unknown): boolean {
  return error instanceof postgres.PostgresError && ['42710', '23505', 'XX000'].includes(error.code)
}
