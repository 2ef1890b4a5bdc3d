import { getSystemErrorMap } from 'node:util'

/** Returns the text of an error number of the system: "no such file or directory". Node 20 has no `getSystemErrorMessage`. */
export function systemErrorMessage(errno: number): string {
  return getSystemErrorMap().get(errno)?.[1] ?? `error ${errno}`
}
