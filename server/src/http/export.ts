import type { ErrorBody } from '@earshot/contracts'
import { encodeCursor } from '@earshot/db'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { columnsOf } from './columns.ts'
import { toCsv } from './csv.ts'
import { toApiError } from './failure.ts'
import type { ExportPage } from './implement.ts'
import { type LongRead, registerLongRead } from './long-read.ts'
import { createOpenStreams } from './open-streams.ts'
import type { Pipeline } from './pipeline.ts'

const MAX_EXPORTS = 2
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

type Format = 'ndjson' | 'csv'
const CONTENT_TYPES = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8; header=present' } as const

/** How pages become bytes. */
interface Encoder {
  page: (page: ExportPage) => string
  /** What keeps the connection open while no record is found. */
  idle: string
  /** The last line of an export that stops at a cursor. Null where a format cannot say so, and the connection breaks off. */
  end: ((cursor: string | null, error?: ErrorBody) => string) | null
}

/** Registers an export as a Fastify route: the pages of a list, one after the other, while the caller stays authorized. */
export function registerExport(
  app: FastifyInstance,
  pipeline: Pipeline,
  { graceMs, ...options }: { baseUrl: string; heartbeatMs?: number | undefined; graceMs?: number | undefined },
): void {
  const { output } = pipeline.named.operation
  const columns = output instanceof z.ZodObject ? columnsOf(output) : []
  registerLongRead(app, pipeline, {
    ...{ ...options, running: createOpenStreams(MAX_EXPORTS, 'running exports', graceMs) },
    open: async (read) => {
      const fields = withCursor(read.fields)
      const first = await read.readPage<ExportPage>(fields)
      const format: Format = fields.format === 'csv' ? 'csv' : 'ndjson'
      const encoder = format === 'csv' ? csvEncoder(first.columns ?? columns) : ndjsonEncoder
      const headers = {
        'content-type': CONTENT_TYPES[format],
        'content-disposition': `attachment; filename="${pipeline.named.words[0]}.${format}"`,
      }
      return { headers, chunks: chunksOf({ ...read, fields }, first, encoder) }
    },
  })
}

/** The id of a record is a cursor too: what broke off goes on after the last record that arrived. */
function withCursor(fields: Record<string, unknown>): Record<string, unknown> {
  const { cursor } = fields
  return typeof cursor === 'string' && UUID.test(cursor) ? { ...fields, cursor: encodeCursor(cursor) } : fields
}

const ndjsonEncoder: Encoder = {
  page: ({ results }) => results.map((record) => `${JSON.stringify(record)}\n`).join(''),
  idle: '\n',
  end: (next_cursor, error) => `${JSON.stringify({ next_cursor, ...(error && { error }) })}\n`,
}

function csvEncoder(columns: NonNullable<ExportPage['columns']>): Encoder {
  let isFirst = true
  return {
    page: ({ results }) => {
      const text = toCsv(results, columns, { isFirst })
      isFirst = false
      return text
    },
    idle: '',
    end: null,
  }
}

async function* chunksOf(read: LongRead, first: ExportPage, encoder: Encoder): AsyncGenerator<string> {
  const { fields, request, signal } = read
  let page = first
  yield encoder.page(page)
  while (page.next_cursor !== null) {
    const cursor = page.next_cursor
    try {
      if (signal.aborted) return yield stopAt(encoder, cursor)
      if (await read.authorizeAgain()) yield encoder.idle
      page = await read.readPage<ExportPage>({ ...fields, cursor })
    } catch (error) {
      const failure = toApiError(error)
      if (failure.status >= 500) request.log.warn({ err: failure.cause ?? error }, 'export ended')
      return yield stopAt(encoder, cursor, failure.toBody(request.id))
    }
    if (page.results.length > 0) yield encoder.page(page)
  }
}

/** Returns the last line of an export that ends before the list does. Throws where it can only break off. */
function stopAt({ end }: Encoder, cursor: string, error?: ErrorBody): string {
  if (!end) throw new Error('The export ends early.')
  return end(cursor, error)
}
