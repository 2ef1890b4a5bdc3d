import { openDatabase } from '@earshot/db'
import { dropPastPartitions } from '@earshot/db/maintenance'
import { task } from './task.ts'

export const partitions = task('partitions', async (_payload, { address, log }) => {
  // Only the owner of the tables can detach a partition.
  const owner = openDatabase({ address, role: 'earshot_owner', poolSize: 1, applicationName: 'earshot partitions' })
  try {
    const { dropped, held } = await dropPastPartitions(owner)
    log.debug({ dropped }, 'Dropped expired partitions')
    if (held.length > 0) log.info({ held }, 'Someone still reads expired partitions; they are dropped later')
  } finally {
    await owner.close()
  }
})
