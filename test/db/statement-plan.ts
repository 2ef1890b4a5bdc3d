import type { Database, Tx } from '@earshot/db'
import type { Sql } from 'postgres'

export interface SentStatement {
  text: string
  params: readonly unknown[]
}

/** What a plan read when it ran. */
export interface PlanFacts {
  /** Relations that were read from end to end. */
  wholeReads: string[]
  /** Rows that each sort took in. */
  sortedRows: number[]
  /** Rows that were looked at, also those that a filter dropped, in the relation with most of them. */
  scannedRows: number
  /** Blocks of tables and indexes that were looked at. */
  blocks: number
}

interface PlanNode {
  'Node Type': string
  'Parent Relationship'?: string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: PlanNode[]
}

/** An executor that records the statements sent through it. */
export function recording(tx: Tx): Tx & { sent: SentStatement[] } {
  const sent: SentStatement[] = []
  const recorder = {
    sent,
    run: <Row>(text: string, params: readonly unknown[]) => {
      sent.push({ text, params })
      return tx.run<Row>(text, params)
    },
    attempt: <Result>(work: (inner: Tx) => Promise<Result>): Promise<Result> => work(recorder),
    transaction: <Result>(work: (inner: Tx) => Promise<Result>): Promise<Result> => work(recorder),
  }
  return recorder
}

/** Returns what some work sends, and undoes its effect. */
export async function sentBy(database: Database, work: (tx: Tx) => Promise<unknown>): Promise<SentStatement[]> {
  const undone = new Error('Undone')
  let sent: SentStatement[] = []
  await database
    .transaction(async (tx) => {
      const recorder = recording(tx)
      await work(recorder)
      sent = recorder.sent
      throw undone
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error
    })
  return sent
}

/** Runs a statement under EXPLAIN, planned for its values or for any values, as PostgreSQL does after some runs. */
export async function explain(client: Sql, mode: 'custom' | 'generic', { text, params }: SentStatement): Promise<PlanFacts> {
  const plan = await client.begin(async (tx) => {
    await tx.unsafe(`set local plan_cache_mode = force_${mode}_plan; prepare asked as ${text}`)
    const values = params.length > 0 ? `(${params.map(literal).join(', ')})` : ''
    const [row] = await tx.unsafe<[{ 'QUERY PLAN': [{ Plan: PlanNode }] }]>(
      `explain (analyze, buffers, format json) execute asked${values}`,
    )
    await tx.unsafe('deallocate asked')
    return row['QUERY PLAN'][0].Plan
  })
  return factsOf(nodesOf(plan))
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

function factsOf([root, ...others]: PlanNode[]): PlanFacts {
  const nodes = root ? [root, ...others] : []
  const scans = nodes.filter((node) => /Scan$/.test(node['Node Type']) && (node['Relation Name'] ?? node['Index Name']))
  const rowsOf = new Map<string, number>()
  for (const scan of scans) {
    // A bitmap of an index names no relation; its rows are counted where the heap is read.
    const relation = (scan['Relation Name'] ?? scan['Index Name'] ?? '').replace(/_\d{8}$/, '')
    rowsOf.set(relation, (rowsOf.get(relation) ?? 0) + rowsOfScan(scan))
  }
  return {
    wholeReads: scans.filter((node) => node['Node Type'] === 'Seq Scan' && rowsOfScan(node) > 0).map((node) => node['Relation Name'] ?? ''),
    sortedRows: nodes.filter((node) => node['Node Type'].includes('Sort')).map((node) => rowsOfScan(inputOf(node))),
    scannedRows: Math.max(0, ...rowsOf.values()),
    blocks: (root?.['Shared Hit Blocks'] ?? 0) + (root?.['Shared Read Blocks'] ?? 0),
  }
}

function inputOf(node: PlanNode): PlanNode {
  return node.Plans?.find((child) => child['Parent Relationship'] === 'Outer') ?? node
}

function rowsOfScan(node: PlanNode): number {
  const dropped = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return (node['Actual Rows'] + dropped) * node['Actual Loops']
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return literal(`{${value.map((item) => JSON.stringify(String(item))).join(', ')}}`)
  return `'${String(value).replaceAll("'", "''")}'`
}
