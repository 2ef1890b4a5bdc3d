import type { Database, Tx } from '@earshot/db'

/** What the statements of a case read, and their plans. */
export interface Plan {
  /** The rows scanned, including filtered ones, in the relation with the most of them. */
  scannedRows: number
  buffers: number
  /** The plan as PostgreSQL prints it, without costs. */
  text: string
}

interface Statement {
  text: string
  params: readonly unknown[]
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: PlanNode[]
}

/** Explains the statements that a case sends. */
export async function explain(database: Database, run: (tx: Tx) => Promise<unknown>): Promise<Plan> {
  const sent: Statement[] = []
  const recorder: Tx = {
    run: (text, params) => {
      sent.push({ text, params })
      return database.run(text, params)
    },
    attempt: (work) => work(recorder),
    transaction: (work) => work(recorder),
  }
  await run(recorder)
  const plans: Plan[] = []
  // A setting has no plan.
  for (const statement of sent.filter(({ text }) => !text.startsWith('set '))) plans.push(await explainStatement(database, statement))
  if (plans.length === 0) throw new Error('The case sends no statement.')
  return {
    scannedRows: plans.reduce((sum, { scannedRows }) => sum + scannedRows, 0),
    buffers: plans.reduce((sum, { buffers }) => sum + buffers, 0),
    text: plans.map(({ text }) => text).join('\n\n'),
  }
}

function explainStatement(database: Database, statement: Statement): Promise<Plan> {
  return database.client.begin(async (tx) => {
    await tx.unsafe(`prepare explained as ${statement.text}`)
    const execute = `execute explained(${statement.params.map(literal).join(', ')})`
    const [analyzed] = await tx.unsafe<[{ 'QUERY PLAN': [{ Plan: PlanNode }] }]>(`explain (analyze, buffers, format json) ${execute}`)
    const lines = await tx.unsafe<{ 'QUERY PLAN': string }[]>(`explain (costs off) ${execute}`)
    await tx.unsafe('deallocate explained')
    const { Plan: root } = analyzed['QUERY PLAN'][0]
    return {
      scannedRows: scannedRows(nodesOf(root)),
      buffers: (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0),
      text: lines.map((line) => line['QUERY PLAN']).join('\n'),
    }
  }) as Promise<Plan>
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

function scannedRows(nodes: PlanNode[]): number {
  const rows = new Map<string, number>()
  for (const node of nodes) {
    const relation = node['Relation Name']
    if (!relation) continue
    rows.set(relation, (rows.get(relation) ?? 0) + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'])
  }
  return Math.round(Math.max(0, ...rows.values()))
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return literal(`{${value.map((item) => JSON.stringify(String(item))).join(', ')}}`)
  return value === null || value === undefined ? 'null' : `'${String(value).replaceAll("'", "''")}'`
}
