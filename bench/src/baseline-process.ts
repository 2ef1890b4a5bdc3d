import type { DatabaseAddress } from '@earshot/db'
import { type Child, startChild } from './child-process.ts'

/** Starts the baseline on the database of the service. */
export async function startBaseline(address: DatabaseAddress): Promise<Child & { url: string }> {
  const child = await startChild(new URL('baseline/server.ts', import.meta.url))
  return { ...child, ...(await child.call<{ url: string }>({ address })) }
}
