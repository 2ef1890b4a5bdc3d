import { type DatabaseAddress, openDatabase } from '../driver/database.ts'
import { ensurePartitions } from '../maintenance/partitions.ts'
import { migrate, type Tell } from './migrate.ts'
import { writePlans } from './plans.ts'
import { requireOwnConnections } from './pooler.ts'
import { ensureQueue } from './queue.ts'

/**
 * Prepares a database for the service: schema, queue, plans, partitions. Part of every start; replicas may run it at once. It tells what
 * the start waits for.
 */
export async function prepareDatabase(address: DatabaseAddress, tell: Tell = () => {}): Promise<void> {
  // The embedded PostgreSQL has no pooler.
  if (address.url !== undefined) await requireOwnConnections(address)
  const { functionsVersion } = await migrate({ address, tell })
  const owner = openDatabase({ address, role: 'earshot_owner', poolSize: 1, applicationName: 'earshot prepare' })
  try {
    await ensureQueue(owner, address)
    await writePlans(owner, functionsVersion)
    await ensurePartitions(owner)
  } finally {
    await owner.close()
  }
}
