import { openDatabase } from '@earshot/db'
import { dropPastPartitions, ensurePartitions } from '@earshot/db/maintenance'
import { task } from './task.ts'

export const partitions = task('partitions', async (_payload, { database, address, log }) => {
  await ensurePartitions(database)
  // Only the owner of the tables can detach a partition.
  const owner = openDatabase({ address, role: 'earshot_owner', poolSize: 1, applicationName: 'earshot partitions' })
  try {
    log.debug({ dropped: await dropPastPartitions(owner) }, 'Dropped expired partitions')
  } finally {
    await owner.close()
  }
})
