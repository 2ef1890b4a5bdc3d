import { systemErrorMessage } from './system-error.ts'

/** A file that the command keeps something in cannot be written. */
export class FileError extends Error {
  override readonly name = 'FileError'
}

/** Returns the error for what writing to a path has thrown. */
export function fileError(path: string, thrown: unknown): FileError {
  const { errno, message } = thrown as NodeJS.ErrnoException // The functions of node:fs throw no other.
  return new FileError(`cannot write ${path}: ${errno === undefined ? message : systemErrorMessage(errno)}`)
}
