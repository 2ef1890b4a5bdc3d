import type { Child } from './child-process.ts'
import { median } from './figures.ts'
import type { Load, LoadResult } from './load.ts'
import { familyMicroseconds, processorMicroseconds } from './processor-time.ts'
import { table } from './report.ts'

/** Node compiles while it runs: a larger program needs more requests to warm up. */
const WARM_UP_ROUNDS = 3

/** A server under load, and its process. */
export interface Contender {
  name: string
  pid: number
  load: Load
}

/** Costs per request. */
interface Cost {
  nodeMicroseconds: number
  postgresMicroseconds: number
  microseconds: number
  requestsPerSecond: number
}

/** Costs per request, as medians over the rounds. */
export interface Costs extends Cost {
  name: string
  rounds: Cost[]
}

/** Puts each contender under the same load in turn, in another order each round, so that other load on the machine affects all. */
export async function alternate(
  generator: Child,
  postgresPid: number,
  contenders: Contender[],
  rounds: number,
): Promise<Map<string, Costs>> {
  const measured = new Map(contenders.map(({ name }) => [name, [] as Cost[]]))
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1)
    for (const contender of contenders) await measure(generator, postgresPid, contender)
  for (let round = 0; round < rounds; round += 1) {
    const turn = round % contenders.length
    for (const contender of [...contenders.slice(turn), ...contenders.slice(0, turn)]) {
      measured.get(contender.name)?.push(await measure(generator, postgresPid, contender))
    }
  }
  return new Map([...measured].map(([name, costs]) => [name, mediansOf(name, costs)]))
}

export function costsTable(costs: Iterable<Costs>): string {
  const rows = [...costs].map((cost) => [
    cost.name,
    cost.nodeMicroseconds.toFixed(0),
    cost.postgresMicroseconds.toFixed(0),
    cost.microseconds.toFixed(0),
    cost.requestsPerSecond.toFixed(0),
  ])
  return table(['server', 'node µs', 'PostgreSQL µs', 'total µs', 'requests/s'], rows)
}

/**
 * Returns the cost of some servers ÷ that of another: the median over the rounds, within each of which the machine's own speed
 * changes little. Several servers run the same program; their mean counts.
 */
export function ratioOf(costs: ReadonlyMap<string, Costs>, servers: string[], other: string): number {
  const rounds = costs.get(other)?.rounds ?? []
  const inRound = (name: string, round: number) => costs.get(name)?.rounds[round]?.microseconds ?? Number.NaN
  return median(
    rounds.map(({ microseconds }, round) => {
      const sum = servers.reduce((total, name) => total + inRound(name, round), 0)
      return sum / servers.length / microseconds
    }),
  )
}

async function measure(generator: Child, postgresPid: number, { pid, load }: Contender): Promise<Cost> {
  const before = { node: processorMicroseconds(pid), postgres: familyMicroseconds(postgresPid) }
  const { tookMs } = await generator.call<LoadResult>(load)
  const nodeMicroseconds = (processorMicroseconds(pid) - before.node) / load.requests
  const postgresMicroseconds = (familyMicroseconds(postgresPid) - before.postgres) / load.requests
  const microseconds = nodeMicroseconds + postgresMicroseconds
  return { nodeMicroseconds, postgresMicroseconds, microseconds, requestsPerSecond: (load.requests / tookMs) * 1000 }
}

function mediansOf(name: string, costs: Cost[]): Costs {
  return {
    name,
    rounds: costs,
    nodeMicroseconds: median(costs.map((cost) => cost.nodeMicroseconds)),
    postgresMicroseconds: median(costs.map((cost) => cost.postgresMicroseconds)),
    microseconds: median(costs.map((cost) => cost.microseconds)),
    requestsPerSecond: median(costs.map((cost) => cost.requestsPerSecond)),
  }
}
