import { EmbeddedPostgresError } from '@earshot/db/embedded'
import { DatabaseSetupError } from '@earshot/db/schema'
import { BlobStoreError, SecretKeyError } from '@earshot/drivers'
import { type Config, ConfigError } from './config.ts'

const EXIT_REFUSED = 1
const EXIT_CONFIGURATION = 2

/** SQLSTATE classes of a refused connection: connection, authorization, no such database, no resources, shutting down. */
const REFUSED_CONNECTION = /^(08|28|3D|53|57)/
const UNREACHABLE = /^(ECONN|ENOENT|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|CONNECT_TIMEOUT|CONNECTION_|NO_PRIMARY)/

export interface StartFailure {
  /** One line for the operator. */
  line: string
  exitCode: number
}

/** Explains, in one line, an error that the operator can fix; returns null for an error that only a developer can fix. */
export function explainStartFailure(error: unknown, config: Pick<Config, 'host' | 'port' | 'databaseUrl'> | null): StartFailure | null {
  if (error instanceof ConfigError) return { line: error.message, exitCode: EXIT_CONFIGURATION }
  if (error instanceof SecretKeyError) return { line: secretKeyLine(error), exitCode: EXIT_CONFIGURATION }
  if (error instanceof EmbeddedPostgresError || error instanceof DatabaseSetupError) return { line: error.message, exitCode: EXIT_REFUSED }
  if (error instanceof BlobStoreError)
    return { line: `${error.message} It is where EARSHOT_STORAGE_URL, or else EARSHOT_DATA_DIR, stores files.`, exitCode: EXIT_REFUSED }
  if (!(error instanceof Error) || config === null) return null
  return explainListening(error, config) ?? explainDatabase(error, config)
}

function secretKeyLine({ message }: SecretKeyError): string {
  return `EARSHOT_SECRET_KEY, or the file secret-key in the data directory, does not belong to this database. ${message} Restore the correct key. If it is lost, "npm run admin -- jwt-keys rotate" lets the service start; sealed values stay unreadable.`
}

function explainListening(error: NodeJS.ErrnoException, { host, port }: Pick<Config, 'host' | 'port'>): StartFailure | null {
  const isListening = error.syscall === 'listen' || ('hostname' in error && error.hostname === host)
  if (!isListening) return null
  if (error.code === 'EADDRINUSE') return { line: `Port ${port} is already in use. Set PORT to another port.`, exitCode: EXIT_REFUSED }
  if (error.code === 'EACCES')
    return { line: `PORT ${port} requires more privileges. Set PORT to a port above 1023.`, exitCode: EXIT_CONFIGURATION }
  return { line: `HOST ${host} is not an address of this machine (${error.code}).`, exitCode: EXIT_CONFIGURATION }
}

/** Explains a database error without its address, which contains a password. */
function explainDatabase(error: NodeJS.ErrnoException, { databaseUrl }: Pick<Config, 'databaseUrl'>): StartFailure | null {
  // A statement throws the API's error, with the driver's error as its cause.
  const cause: NodeJS.ErrnoException = error.cause instanceof Error ? error.cause : error
  const code = cause.code ?? ''
  if (databaseUrl === null || !(REFUSED_CONNECTION.test(code) || UNREACHABLE.test(code))) return null
  return { line: `Cannot use the database of DATABASE_URL: ${cause.message || code}.`, exitCode: EXIT_REFUSED }
}
