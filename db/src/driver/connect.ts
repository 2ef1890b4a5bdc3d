import postgres from 'postgres'

/** Where the database is. Either an address, or a host (a socket directory too) with its parts. */
export interface DatabaseAddress {
  url?: string
  host?: string
  port?: number
  user?: string
  password?: string
  database?: string
}

export interface DatabaseOptions {
  address: DatabaseAddress
  /** Role that the sessions take on; the login role if absent. */
  role?: 'earshot_owner' | 'earshot_app' | 'earshot_worker'
  /** Connections at most. */
  poolSize: number
  /** Shown in pg_stat_activity. */
  applicationName: string
  /** A statement that takes longer is cancelled; a database that does not even do that is given up soon after. */
  statementTimeoutMs?: number
  /** Called with each statement that is sent, for tests that count them. */
  onStatement?: (text: string) => void
}

/** A client of the driver with the settings of the product; `onclose` hears of each connection that ends. */
export function connect(
  { address: { url, ...parts }, role, applicationName, statementTimeoutMs, onStatement }: DatabaseOptions,
  extent: { max: number; onclose?: () => void },
): postgres.Sql {
  const options = {
    ...extent,
    connect_timeout: 5,
    // The pool retires its sessions when nobody uses them.
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    ...(onStatement && { debug: (_connection: number, text: string) => onStatement(text) }),
    connection: {
      application_name: applicationName,
      timezone: 'UTC',
      // Each statement has one good plan, whatever its values: planning a list anew cost more than running it.
      plan_cache_mode: 'force_generic_plan',
      // A bitmap loses the order of its index: a plan for any values would sort all of a project for one page.
      enable_bitmapscan: 'off',
      ...(statementTimeoutMs && { statement_timeout: statementTimeoutMs }),
      ...(role && { role }),
    },
  }
  return url ? postgres(url, options) : postgres({ ...parts, ...options })
}
