import type { Database } from '@earshot/db'
import { forgetDeadWorkers, recordHeartbeat, registerWorker, removeWorker, sweepDeliveries } from '@earshot/db/dispatch'
import type { Log } from '../log.ts'
import { MAX_ATTEMPTS } from '../sending/retry-policy.ts'
import { startLoop } from './loop.ts'

const HEARTBEAT_MS = 1_000
const SWEEP_MS = 1_500

export interface WorkerLifeOptions {
  database: Database
  /** A pool of one direct connection: its session holds the lock that says that this process lives. */
  session: Database
  /** The name under which this process locks jobs of the queue, if it does. */
  jobPoolId: string | null
  /** Ids of the attempts that this process has in hand. */
  heldAttempts: () => string[]
  /** Deliveries of dead workers were given back. */
  onSwept: (count: number) => void
  log: Log
}

export interface WorkerLife {
  /** What this worker claims with; it changes when others took it for dead. */
  id: () => number
  /** Whether heartbeat and sweep reach the database. */
  isWell: () => boolean
  /** To be called when nothing is in hand any more. */
  stop: () => Promise<void>
}

/** Shows the others that this worker lives, and takes over from those that do not. */
export async function startWorkerLife(options: WorkerLifeOptions): Promise<WorkerLife> {
  const { database, session, jobPoolId, heldAttempts, onSwept, log } = options
  let id = await registerWorker(session, { jobPoolId })
  let backend = (await recordHeartbeat(session, { workerId: id, backend: 0 })) ?? 0

  async function beat(): Promise<number> {
    const seen = await recordHeartbeat(session, { workerId: id, backend })
    backend = seen ?? 0
    if (seen === null) {
      log.warn({ worker_id: id }, 'This worker was taken for dead while it stood still; it goes on under a new id')
      id = await registerWorker(session, { jobPoolId })
      return 0
    }
    return HEARTBEAT_MS
  }

  async function sweep(): Promise<number> {
    const count = await sweepDeliveries(database, { workerId: id, held: heldAttempts(), maxAttempts: MAX_ATTEMPTS })
    await forgetDeadWorkers(database)
    if (count > 0) {
      log.warn({ count }, 'Deliveries of a sender that stopped were given back')
      onSwept(count)
    }
    return SWEEP_MS
  }

  const loops = [
    startLoop({ name: "The worker's heartbeat", work: beat, log }),
    startLoop({ name: 'The sweep of interrupted deliveries', work: sweep, log }),
  ]
  return {
    id: () => id,
    isWell: () => loops.every((loop) => loop.isWell()),
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
      // Without a database there is nobody to tell: the others find out by themselves.
      await removeWorker(session, id).catch(() => {})
    },
  }
}
