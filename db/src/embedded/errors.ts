/** The embedded PostgreSQL cannot start; the message is one line for the operator. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

/** A living process already uses the data directory. */
export class DataDirInUseError extends EmbeddedPostgresError {
  override name = 'DataDirInUseError'
  readonly pid: number

  constructor(pid: number, dataDir: string) {
    super(`Another Earshot (pid ${pid}) already uses the data directory ${dataDir}.`)
    this.pid = pid
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'it is not a directory',
  ENAMETOOLONG: 'the path is too long',
}

/** Returns `error.code` of a system or PostgreSQL error, else undefined. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Turns a file-system error into a one-line error for the operator; returns any other error unchanged. */
export function dataDirError(error: unknown, dataDir: string): unknown {
  if (error instanceof EmbeddedPostgresError) return error
  const reason = REASONS[errorCode(error) ?? '']
  if (reason === undefined) return error
  const path = error instanceof Error && 'path' in error && typeof error.path === 'string' ? ` (${error.path})` : ''
  return new EmbeddedPostgresError(`The data directory ${dataDir} cannot be used: ${reason}${path}.`, { cause: error })
}
