import { median } from '../figures.ts'
import { familyMicroseconds, processorMicroseconds } from '../processor-time.ts'
import { table } from '../report.ts'

const COLUMNS = ['nodeMicroseconds', 'postgresMicroseconds', 'microseconds', 'perSecond'] as const

/** The cost of one delivery. */
export interface Cost {
  nodeMicroseconds: number
  postgresMicroseconds: number
  microseconds: number
  perSecond: number
}

/** Measures the cost per delivery, in both processes, while `work` makes the deliveries. */
export async function costOf(
  { pid, postgresPid }: { pid: number; postgresPid: number },
  deliveries: number,
  work: () => Promise<unknown>,
): Promise<Cost> {
  const before = { node: processorMicroseconds(pid), postgres: familyMicroseconds(postgresPid) }
  const startedMs = performance.now()
  await work()
  const tookMs = performance.now() - startedMs
  const nodeMicroseconds = (processorMicroseconds(pid) - before.node) / deliveries
  const postgresMicroseconds = (familyMicroseconds(postgresPid) - before.postgres) / deliveries
  const perSecond = (deliveries / tookMs) * 1000
  return { nodeMicroseconds, postgresMicroseconds, microseconds: nodeMicroseconds + postgresMicroseconds, perSecond }
}

export function medianOf(costs: readonly Cost[], part: keyof Cost): number {
  return median(costs.map((cost) => cost[part]))
}

export function costsTable(costs: Record<string, Cost[]>): string {
  return table(
    ['sender', 'node µs', 'PostgreSQL µs', 'total µs', 'deliveries/s'],
    Object.entries(costs).map(([name, each]) => [name, ...COLUMNS.map((column) => medianOf(each, column).toFixed(0))]),
  )
}
