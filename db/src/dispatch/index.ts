export {
  type ClaimedDelivery,
  claimDeliveries,
  type DueEndpoint,
  type EndpointSlots,
  findDueEndpoints,
  LEASE_SECONDS,
} from './claim.ts'
export { type AttemptRef, type AttemptResult, completeDeliveries, handBackDeliveries } from './complete.ts'
export { numberEvents } from './number-events.ts'
export { forgetDeadWorkers, type Heartbeat, recordHeartbeat, registerWorker, removeWorker, sweepDeliveries } from './workers.ts'
