import { isEverywhere, type NamedOperation } from '@earshot/contracts'
import type { TestService } from '../../support/test-service.ts'
import { eachAtOnce } from '../at-once.ts'
import { callRest, callTrpcBatch, MAX_BATCH, sourcesOf } from '../call.ts'
import { sampleInput } from '../samples.ts'
import { type Cell, oneOfEachRefusal } from './cells.ts'

const RECORDS = { url: 'http://127.0.0.1:9/hooks', email: 'grace@example.com' }

export interface Findings {
  requests: number
  /** Cells that were requested. */
  proven: Set<Cell>
  /** Cells with another outcome than expected. */
  wrong: string[]
}

interface RunOptions {
  /** Whether the run ends with the first request that has a wrong cell. */
  stopsAtFirst?: boolean
}

/**
 * Requests every cell: over REST one of each refusal of an operation, in turns, and the others over tRPC, many in one request. Both surfaces
 * authorize by the same pipeline. Operations that only REST has are requested there alone.
 */
export async function runMatrix(service: TestService, cells: readonly Cell[]): Promise<Findings> {
  const rest = await runOverRest(service, cells)
  const trpc = await runOverTrpc(
    service,
    cells.filter((cell) => !rest.proven.has(cell)),
  )
  return together(rest, trpc)
}

/** Requests one cell of each refusal of an operation over REST, and every cell of operations that only REST has. */
export async function runOverRest(service: TestService, cells: readonly Cell[], options?: RunOptions): Promise<Findings> {
  const inputOf = sampled()
  const chosen = oneOfEachRefusal(cells.filter(isOnTrpc))
  const send = async ([cell]: readonly [Cell]) => {
    const { status, body } = await callRest(service, cell.named, { ...sourcesOf(cell.named, inputOf(cell)), ...cell.shown })
    return wrongIn(cell, { status, code: body?.code })
  }
  const ordinary = await runAll(
    chosen.map((cell) => [cell] as const),
    send,
    options,
  )
  // A person may have few streams at once.
  const streams = cells.filter((cell) => !isOnTrpc(cell))
  return together(
    ordinary,
    await runAll(
      streams.map((cell) => [cell] as const),
      send,
      { ...options, atOnce: 1 },
    ),
  )
}

/** Requests cells over tRPC, in batches of those with the same credential. */
export function runOverTrpc(service: TestService, cells: readonly Cell[], options?: RunOptions): Promise<Findings> {
  const inputOf = sampled()
  const send = async (batch: readonly Cell[]) => {
    const calls = batch.map((cell) => ({ named: cell.named, input: inputOf(cell) }))
    const { status, body } = await callTrpcBatch(service, calls, batch[0]?.shown)
    // The status of a request whose calls ended differently is 207.
    return batch.flatMap((cell, index) =>
      wrongIn(cell, { status: status === 207 ? cell.expected.status : status, code: body[index]?.error?.data.code }),
    )
  }
  return runAll(batchesOf(cells.filter(isOnTrpc)), send, options)
}

function together(one: Findings, other: Findings): Findings {
  return {
    requests: one.requests + other.requests,
    proven: one.proven.union(other.proven),
    wrong: [...one.wrong, ...other.wrong],
  }
}

async function runAll<Batch extends readonly Cell[]>(
  batches: readonly Batch[],
  send: (batch: Batch) => Promise<string[]>,
  { stopsAtFirst = false, atOnce }: RunOptions & { atOnce?: number } = {},
): Promise<Findings> {
  const findings: Findings = { requests: 0, proven: new Set(), wrong: [] }
  const request = async (batch: Batch) => {
    if (stopsAtFirst && findings.wrong.length > 0) return
    findings.wrong.push(...(await send(batch)))
    findings.requests += 1
    for (const cell of batch) findings.proven.add(cell)
  }
  await eachAtOnce(batches, request, atOnce)
  return findings
}

function isOnTrpc({ named }: Cell): boolean {
  return isEverywhere(named.operation)
}

/** Returns the cells in lists that one request can have: of one credential, and all of queries or all of mutations. */
function batchesOf(cells: readonly Cell[]): Cell[][] {
  const groups = Map.groupBy(cells, ({ shown, named }) => `${JSON.stringify(shown)} ${named.operation.method === 'GET'}`)
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / MAX_BATCH) }, (_, index) => group.slice(index * MAX_BATCH, (index + 1) * MAX_BATCH)),
  )
}

/** Returns what makes the input of a cell; the sample of an operation is made once. */
function sampled(): (cell: Cell) => Record<string, unknown> {
  const samples = new Map<NamedOperation, Record<string, unknown>>()
  return ({ named, path }) => {
    const sample = samples.get(named) ?? sampleInput(named.operation, { ...path, ...RECORDS })
    samples.set(named, sample)
    return { ...sample, ...path }
  }
}

function wrongIn({ named, what, expected }: Cell, { status, code }: { status: number; code: unknown }): string[] {
  if (status === expected.status && code === expected.code) return []
  return [`${named.name}, ${what}: ${status} ${code} instead of ${expected.status} ${expected.code}`]
}
