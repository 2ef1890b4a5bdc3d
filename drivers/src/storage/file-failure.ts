import { BlobStoreError } from './blob-store.ts'

const CODES: Record<string, BlobStoreError['code']> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  EROFS: 'forbidden',
}

const STATES: Record<BlobStoreError['code'], string> = {
  full: 'has no space left',
  forbidden: 'may not be read or written',
  unavailable: 'cannot be used',
}

/** Converts an error of the file system. Every other error stays what it is. */
export function toFileFailure(error: unknown, directory: string): unknown {
  const name = codeOf(error)
  if (name === null || error instanceof BlobStoreError) return error
  const code = CODES[name] ?? 'unavailable'
  return new BlobStoreError(code, `The directory ${directory} ${STATES[code]} (${name}).`)
}

/** Whether there is no such file. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
