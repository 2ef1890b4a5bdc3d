import type { Database } from '@earshot/db'
import { forgetDeadWorkers, type Heartbeat, recordHeartbeat, registerWorker, removeWorker, sweepDeliveries } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { MAX_ATTEMPTS } from '../sending/retry-policy.ts'
import type { Idleness } from './idleness.ts'
import { startLoop } from './loop.ts'

const HEARTBEAT_MS = 1_000
/** The longest pause after a failed heartbeat. */
const RETRY_MS = 500
const SWEEP_MS = 500
/**
 * A heartbeat without a reply is given up after this time and half a second, and sent again over a new connection: when the
 * database comes back, each living worker says so within the three seconds that the others wait before they judge it.
 */
export const HEARTBEAT_TIMEOUT_MS = 1_000

export interface WorkerLivenessOptions {
  database: Database
  /** A pool of one direct connection, which holds the lock that shows that this process lives. */
  lockDatabase: Database
  /** The name under which this process locks jobs of the queue, if it does. */
  jobPoolId: string | null
  idleness: Idleness
  /** Ids of the attempts in flight. */
  heldAttempts: () => string[]
  /** Deliveries of dead workers were handed back. */
  onSwept: (count: number) => void
  log: Log
}

export interface WorkerLiveness {
  /** The id to claim with. It changes when other workers took this one for dead. */
  id: () => number
  /** Returns whether the heartbeat and the sweep reach the database. */
  isHealthy: () => boolean
  /** Sends the next heartbeat now: this worker is idle no more. */
  beat: () => void
  /** Call it when no delivery is in flight any more. */
  stop: () => Promise<void>
}

/** Shows the other workers that this one lives, and takes over from dead ones. */
export async function startWorkerLiveness(options: WorkerLivenessOptions): Promise<WorkerLiveness> {
  const { database, lockDatabase, jobPoolId, idleness, heldAttempts, onSwept, log } = options
  let id = await registerWorker(lockDatabase, { jobPoolId })
  let last = await beat(0)

  async function beat(backendPid: number): Promise<Heartbeat | null> {
    const isIdle = idleness.isQuiet
    const beaten = await recordHeartbeat(lockDatabase, { workerId: id, backendPid, isIdle })
    idleness.noteHeartbeat(isIdle && beaten !== null)
    return beaten
  }

  async function sendHeartbeat(): Promise<number> {
    last = await beat(last?.backendPid ?? 0)
    if (last === null) {
      log.warn({ worker_id: id }, 'Another worker took this one for dead; continuing under a new id')
      id = await registerWorker(lockDatabase, { jobPoolId })
      return 0
    }
    return HEARTBEAT_MS
  }

  async function sweep(): Promise<number> {
    // Without a heartbeat, or while it sends the first one under a new id, it is in no position to judge.
    if (last === null || !last.needsSweep) return SWEEP_MS
    const count = await sweepDeliveries(database, { workerId: id, held: heldAttempts(), heldAt: last.seenAt, maxAttempts: MAX_ATTEMPTS })
    await forgetDeadWorkers(database, id)
    if (count > 0) {
      log.warn({ count }, 'Handed back deliveries of a worker that stopped')
      onSwept(count)
    }
    return SWEEP_MS
  }

  const heartbeats = startLoop({ name: "The worker's heartbeat", work: sendHeartbeat, maxBackoffMs: RETRY_MS, log })
  const loops = [heartbeats, startLoop({ name: 'The sweep of interrupted deliveries', work: sweep, log })]
  return {
    id: () => id,
    isHealthy: () => loops.every((loop) => loop.isHealthy()),
    beat: heartbeats.nudge,
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
      // Without a database the other workers notice the old heartbeat.
      await removeWorker(lockDatabase, id).catch(() => {})
    },
  }
}
