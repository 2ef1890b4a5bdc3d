import { hash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DatabaseAddress } from '@earshot/db'
import { parse } from 'csv-parse'
import type { Sql, TransactionSql } from 'postgres'
import { handleRequests } from '../child-process.ts'
import { openPlain } from '../plain-client.ts'
import { COLUMNS, columnsOf, EVENT_COLUMNS, escaped, eventBodyOf, makeId, payloadOf, type Testimonial } from './testimonial.ts'

/** A file to load, in the format of `writeImportFile`. */
export interface LoadRequest {
  address: DatabaseAddress
  path: string
  team_id: string
  project_id: string
  suppress_events: boolean
}

const BATCH_ROWS = 5_000
const CHUNK_LINES = 500

/** Lines of COPY that wait to be written. */
interface Batch {
  submissions: string[]
  events: string[]
}

let sql: Sql | undefined

handleRequests(load, async () => sql?.end())

/** Loads a file by COPY alone: the rows, and both events of each. Nothing is checked, looked up, counted or resumed. */
async function load({ address, path, suppress_events, ...owner }: LoadRequest): Promise<{ rows: number }> {
  // Kept between calls, because the processor time of a backend that ends is lost.
  sql ??= openPlain(address, 1)
  const ids = { ...owner, import_id: randomUUID() }
  let batch: Batch = { submissions: [], events: [] }
  let rows = 0
  for await (const cells of createReadStream(path).pipe(parse({ from_line: 2 })) as AsyncIterable<string[]>) {
    const row = testimonialOf(cells, ids)
    batch.submissions.push(columnsOf(row))
    if (!suppress_events) batch.events.push(...eventsOf(row))
    rows += 1
    if (batch.submissions.length < BATCH_ROWS) continue
    await write(sql, batch)
    batch = { submissions: [], events: [] }
  }
  if (batch.submissions.length > 0) await write(sql, batch)
  return { rows }
}

function testimonialOf(cells: string[], ids: Pick<Testimonial, 'team_id' | 'project_id' | 'import_id'>): Testimonial {
  const [name = '', email = '', company = '', jobTitle = '', body = '', rating, date, externalId = ''] = cells
  const nowMs = Date.now()
  const collectedAt = new Date(date ?? '').toISOString()
  return { ...ids, id: makeId(nowMs), nowMs, name, email, company, jobTitle, body, rating: Number(rating), collectedAt, externalId }
}

function eventsOf(row: Testimonial): [string, string] {
  const payload = payloadOf(row)
  return [
    eventLine(row, 'submission.created', `{"submission" : ${payload}}}`),
    eventLine(row, 'testimonial.created', `{"testimonial" : ${payload}, "featured" : false, "excerpt" : null, "position" : null}}`),
  ]
}

function eventLine(row: Testimonial, type: string, data: string): string {
  const id = makeId(row.nowMs)
  const body = eventBodyOf(row, { id, type, data })
  return `${row.team_id}\t${id}\t${row.project_id}\t${type}\t${escaped(body)}\t${hash('sha256', body)}\n`
}

async function write(client: Sql, { submissions, events }: Batch): Promise<void> {
  await client.begin(async (tx) => {
    await copy(tx, `submissions (${COLUMNS})`, submissions)
    if (events.length > 0) await copy(tx, `events (${EVENT_COLUMNS})`, events)
  })
}

async function copy(tx: TransactionSql, into: string, lines: string[]): Promise<void> {
  const chunks = Array.from({ length: Math.ceil(lines.length / CHUNK_LINES) }, (_, index) =>
    lines.slice(index * CHUNK_LINES, (index + 1) * CHUNK_LINES).join(''),
  )
  await pipeline(Readable.from(chunks), await tx.unsafe(`copy ${into} from stdin`).writable())
}
