import { openDatabase } from '@earshot/db'
import { dropPastPartitions, ensurePartitions } from '@earshot/db/maintenance'
import { task } from './task.ts'

export const partitions = task('partitions', async (_payload, { database, address, log }) => {
  await ensurePartitions(database)
  // Only the tables' owner may detach a partition.
  const owner = openDatabase({ address, role: 'earshot_owner', poolSize: 1, applicationName: 'earshot partitions' })
  try {
    log.debug({ dropped: await dropPastPartitions(owner) }, 'Past partitions were dropped')
  } finally {
    await owner.close()
  }
})
