import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { until } from '../../support/until.ts'
import type { DurabilityFixture } from './fixture.ts'
import type { Span } from './fleet.ts'

/** The number and length of each kind of fault. */
export interface Form {
  kills: number
  restarts: number
  pauses: number
  pauseMs: number
  receiverAways: number
  receiverAwayMs: number
  databaseAways: number
  databaseAwayMs: number
  /** From the end of one fault to the next. */
  gapMs: { min: number; max: number }
}

type FaultKind = 'kill' | 'restart' | 'pause' | 'receiver away' | 'database away'

export interface Fault {
  kind: FaultKind
  /** Selects the process. */
  victim: number
  gapMs: number
}

/** A fault as it happened. */
export interface Happened extends Span {
  kind: FaultKind
  /** The process that was killed or paused. */
  role: 'api' | 'worker' | null
}

/** Returns all faults of a form, in an order and at times that depend on the seed alone. */
export function drawFaults(form: Form, seed: number): Fault[] {
  const kinds: FaultKind[] = [
    ...Array<FaultKind>(form.kills).fill('kill'),
    ...Array<FaultKind>(form.restarts).fill('restart'),
    ...Array<FaultKind>(form.pauses).fill('pause'),
    ...Array<FaultKind>(form.receiverAways).fill('receiver away'),
    ...Array<FaultKind>(form.databaseAways).fill('database away'),
  ]
  const all = { minLength: kinds.length, maxLength: kinds.length }
  const drawn = fc.record({
    order: fc.shuffledSubarray(kinds, all),
    victims: fc.array(fc.nat({ max: 1_000 }), { ...all, size: 'max' }),
    gaps: fc.array(fc.integer(form.gapMs), { ...all, size: 'max' }),
  })
  // Without its bias for the ends of a range.
  const [faults] = fc.sample(fc.noBias(drawn), { seed, numRuns: 1 })
  if (!faults) throw new Error('Nothing was drawn')
  return faults.order.map((kind, index) => ({ kind, victim: faults.victims[index] ?? 0, gapMs: faults.gaps[index] ?? 0 }))
}

/** Causes a fault. Resolves when it is over; the processes may still be recovering. */
export async function causeFault(fixture: DurabilityFixture, fault: Fault, form: Form): Promise<Happened> {
  const fromMs = Date.now()
  const role = await causeOne(fixture, fault, form)
  return { kind: fault.kind, role, fromMs, toMs: Date.now() }
}

async function causeOne(
  { cluster, database, proxy, fleet, recorder }: DurabilityFixture,
  { kind, victim }: Fault,
  form: Form,
): Promise<Happened['role']> {
  if (kind === 'kill') return fleet.kill(victim)
  if (kind === 'pause') {
    await fleet.pauseWorker(victim, form.pauseMs)
    return 'worker'
  }
  if (kind === 'receiver away') {
    await recorder.goAway()
    await delay(form.receiverAwayMs)
    await recorder.comeBack()
  } else if (kind === 'database away') {
    await proxy.refuse()
    await delay(form.databaseAwayMs)
    await proxy.restore()
  } else {
    await restartAtOnce(cluster)
    const answers = () =>
      database.run('select', []).then(
        () => true,
        () => false,
      )
    await until('PostgreSQL answers again', answers)
  }
  return null
}

/** Restarts PostgreSQL by an immediate shutdown without a checkpoint; the next start recovers from the log. */
async function restartAtOnce(cluster: DurabilityFixture['cluster']): Promise<void> {
  const before = cluster.pid()
  if (before === undefined) throw new Error('PostgreSQL does not run')
  process.kill(before, 'SIGQUIT')
  await until('PostgreSQL runs again', () => cluster.pid() !== undefined && cluster.pid() !== before)
}
