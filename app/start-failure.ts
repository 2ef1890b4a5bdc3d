import { EmbeddedPostgresError } from '@earshot/db/embedded'
import { DatabaseSetupError } from '@earshot/db/schema'
import { SecretKeyError } from '@earshot/drivers'
import { type Config, ConfigError } from './config.ts'

const EXIT_REFUSED = 1
const EXIT_CONFIGURATION = 2

/** SQLSTATE classes of a database that does not let us in: connection, authorization, no such database, no resources, shutting down. */
const NO_ENTRY = /^(08|28|3D|53|57)/
const UNREACHABLE = /^(ECONN|ENOENT|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|CONNECT_TIMEOUT|CONNECTION_)/

export interface StartFailure {
  /** One line for the operator. */
  line: string
  exitCode: number
}

/** What the operator can mend, in one line; null for what only a developer can. */
export function explainStartFailure(error: unknown, config: Pick<Config, 'host' | 'port' | 'databaseUrl'> | null): StartFailure | null {
  if (error instanceof ConfigError) return { line: error.message, exitCode: EXIT_CONFIGURATION }
  if (error instanceof SecretKeyError) return { line: secretKeyLine(error), exitCode: EXIT_CONFIGURATION }
  if (error instanceof EmbeddedPostgresError || error instanceof DatabaseSetupError) return { line: error.message, exitCode: EXIT_REFUSED }
  if (!(error instanceof Error) || config === null) return null
  return explainListening(error, config) ?? explainDatabase(error, config)
}

function secretKeyLine({ message }: SecretKeyError): string {
  return `EARSHOT_SECRET_KEY, or the file secret-key of the data directory, is not the one of this database. ${message} Put the right one back; if it is lost for good, "npm run admin -- jwt-keys rotate" lets the service start, without what was sealed.`
}

function explainListening(error: NodeJS.ErrnoException, { host, port }: Pick<Config, 'host' | 'port'>): StartFailure | null {
  const isListening = error.syscall === 'listen' || ('hostname' in error && error.hostname === host)
  if (!isListening) return null
  if (error.code === 'EADDRINUSE') return { line: `Port ${port} is taken: set PORT to another one.`, exitCode: EXIT_REFUSED }
  if (error.code === 'EACCES')
    return { line: `PORT ${port} may not be used by this user: set it to one above 1023.`, exitCode: EXIT_CONFIGURATION }
  return { line: `HOST ${host} is no address of this machine (${error.code}).`, exitCode: EXIT_CONFIGURATION }
}

/** Never the address itself: it carries a password. */
function explainDatabase(error: NodeJS.ErrnoException, { databaseUrl }: Pick<Config, 'databaseUrl'>): StartFailure | null {
  // A statement of the product says that the database is away in the API's words, with the driver's error as its cause.
  const cause: NodeJS.ErrnoException = error.cause instanceof Error ? error.cause : error
  const code = cause.code ?? ''
  if (databaseUrl === null || !(NO_ENTRY.test(code) || UNREACHABLE.test(code))) return null
  return { line: `The database of DATABASE_URL cannot be used: ${cause.message || code}.`, exitCode: EXIT_REFUSED }
}
