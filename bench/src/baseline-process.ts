import type { DatabaseAddress } from '@earshot/db'
import { type Child, startChild } from './child-process.ts'

/** The service's bare baseline, on the same database. */
export async function startBaseline(address: DatabaseAddress): Promise<Child & { url: string }> {
  const child = await startChild(new URL('baseline/server.ts', import.meta.url))
  return { ...child, ...(await child.ask<{ url: string }>({ address })) }
}
