import { getSystemErrorMap } from 'node:util'

/** Returns what an error of the operating system means: `no such file or directory`. (Node 20 has no `getSystemErrorMessage`.) */
export function systemErrorMessage(errno: number): string {
  return getSystemErrorMap().get(errno)?.[1] ?? `error ${errno}`
}
