import { type DatabaseAddress, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { writePlans } from './plans.ts'

const DAYS_AHEAD = 7
const PARTITIONED = ['events', 'webhook_attempts', 'audit_entries']

/** Brings a database to what the service needs: schema, plans, partitions. Part of every start; replicas may do it at once. */
export async function prepareDatabase(address: DatabaseAddress): Promise<void> {
  await migrate({ address })
  const owner = openDatabase({ address, role: 'earshot_owner', poolSize: 1, applicationName: 'earshot prepare' })
  try {
    await writePlans(owner)
    for (const table of PARTITIONED) await owner.run('select ensure_partitions($1, $2)', [table, DAYS_AHEAD])
  } finally {
    await owner.close()
  }
}
