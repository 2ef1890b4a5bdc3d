export { sendNotifications } from '../notifications/send.ts'
export {
  type Backlog,
  type QueueDepth,
  readBacklog,
  readQueueDepths,
  readStoredDeliveries,
  readWaitingVideos,
  type WaitingVideos,
} from './backlog.ts'
export { disableFailingEndpoints } from './failing-endpoints.ts'
export { readHealth } from './health.ts'
export { dropPastPartitions, ensurePartitions, readPartitionDaysAhead } from './partitions.ts'
export { removePastPayloads } from './past-payloads.ts'
export { purgeDeleted } from './purge.ts'
export { deletePast } from './retention.ts'
