import { errorStatuses } from './error-statuses.ts'
import type { ErrorCode } from './models.ts'

/** A code that only a newer service knows is an error of the service, as far as this client can tell. */
const UNKNOWN_STATUS = 500

/** Returns the status of a code. */
export function statusOf(code: string): number {
  return new Map<string, number>(Object.entries(errorStatuses)).get(code) ?? UNKNOWN_STATUS
}

/** Returns a code that has the status. */
export function codeOf(status: number): ErrorCode | undefined {
  // Proven: the keys of the table.
  return (Object.keys(errorStatuses) as ErrorCode[]).find((code) => errorStatuses[code] === status)
}
