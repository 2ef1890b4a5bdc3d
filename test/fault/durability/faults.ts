import { setTimeout as delay } from 'node:timers/promises'
import type { startEmbeddedPostgres } from '@earshot/db/embedded'
import fc from 'fast-check'
import { until } from '../../support/until.ts'
import type { DurabilityFixture } from './fixture.ts'
import type { Role, Span } from './fleet.ts'

/**
 * How long PostgreSQL may read its log after a crash: up to five minutes of writes, on the disk of any machine. Nothing of the service is
 * measured by it; its own recovery is, from the end of this wait.
 */
const RECOVERY_MS = 120_000

export type FaultKind = 'kill' | 'restart' | 'pause' | 'promotion' | 'receiver away' | 'database away'

/** How a run disturbs: the number of each kind of fault, and the time from the end of one to the next. */
export interface Form {
  counts: Partial<Record<FaultKind, number>>
  gapMs: { min: number; max: number }
}

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
  role: Role | null
}

/** Causes each kind of fault. Each resolves when the fault is over, with the role of its process; processes may still be recovering. */
export type Causes = Partial<Record<FaultKind, (victim: number) => Promise<Role | null>>>

/** Returns all faults of a form, in an order and at times that depend on the seed alone. */
export function drawFaults({ counts, gapMs }: Form, seed: number): Fault[] {
  const kinds = Object.entries(counts).flatMap(([kind, count]) => Array<FaultKind>(count).fill(kind as FaultKind))
  const all = { minLength: kinds.length, maxLength: kinds.length }
  const drawn = fc.record({
    order: fc.shuffledSubarray(kinds, all),
    victims: fc.array(fc.nat({ max: 1_000 }), { ...all, size: 'max' }),
    gaps: fc.array(fc.integer(gapMs), { ...all, size: 'max' }),
  })
  // Without its bias for the ends of a range.
  const [faults] = fc.sample(fc.noBias(drawn), { seed, numRuns: 1 })
  if (!faults) throw new Error('Nothing was drawn')
  return faults.order.map((kind, index) => ({ kind, victim: faults.victims[index] ?? 0, gapMs: faults.gaps[index] ?? 0 }))
}

/** Causes the faults one after the other, each a gap after the last one and after `ready`. Resolves after the last. */
export async function causeFaults(causes: Causes, faults: readonly Fault[], ready = async () => {}): Promise<Happened[]> {
  const happened: Happened[] = []
  for (const { kind, victim, gapMs } of faults) {
    await ready()
    await delay(gapMs)
    const cause = causes[kind]
    if (!cause) throw new Error(`Nothing causes the fault ${kind}`)
    const fromMs = Date.now()
    happened.push({ kind, role: await cause(victim), fromMs, toMs: Date.now() })
  }
  return happened
}

/** How long each absence lasts. */
export interface Absences {
  pauseMs: number
  receiverAwayMs: number
  databaseAwayMs: number
}

export function causesOf({ cluster, database, proxy, fleet, recorder }: DurabilityFixture, absences: Absences): Causes {
  return {
    kill: fleet.kill,
    pause: (victim) => fleet.pause(victim, absences.pauseMs, ['worker']),
    async 'receiver away'() {
      await recorder.goAway()
      await delay(absences.receiverAwayMs)
      await recorder.comeBack()
      return null
    },
    async 'database away'() {
      await proxy.refuse()
      await delay(absences.databaseAwayMs)
      await proxy.restore()
      return null
    },
    async restart() {
      await restartAtOnce(cluster)
      const answers = () =>
        database.run('select', []).then(
          () => true,
          () => false,
        )
      await until('PostgreSQL answers again', answers, RECOVERY_MS)
      return null
    },
  }
}

/** Restarts PostgreSQL by an immediate shutdown without a checkpoint; the next start recovers from the log. */
async function restartAtOnce(cluster: Awaited<ReturnType<typeof startEmbeddedPostgres>>): Promise<void> {
  const before = cluster.pid()
  if (before === undefined) throw new Error('PostgreSQL does not run')
  process.kill(before, 'SIGQUIT')
  await until('PostgreSQL runs again', () => cluster.pid() !== undefined && cluster.pid() !== before)
}
