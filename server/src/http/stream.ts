import { laterCursor } from '@earshot/db'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { toApiError } from './failure.ts'
import type { FeedPolls } from './feed-poll.ts'
import type { StreamPage } from './implement.ts'
import { type LongRead, registerLongRead } from './long-read.ts'
import { createOpenStreams, type OpenStreams } from './open-streams.ts'
import type { Pipeline } from './pipeline.ts'
import { singleHeader } from './rest.ts'

const MAX_STREAMS = 20
const RECONNECT_MS = 1_000
const HEADERS = { 'content-type': 'text/event-stream' }

/** What all streams of a process share. */
export interface StreamOptions {
  baseUrl: string
  feedPolls: FeedPolls
  openStreams: OpenStreams
  heartbeatMs?: number | undefined
}

/** Creates the count of a process's streams: a person can have so many, of whichever operations. */
export function countStreams(graceMs?: number): OpenStreams {
  return createOpenStreams(MAX_STREAMS, 'open streams', graceMs)
}

/** Registers a stream as a Fastify route: server-sent events for as long as the reader stays authorized and connected. */
export function registerStream(app: FastifyInstance, pipeline: Pipeline, { feedPolls, openStreams, ...options }: StreamOptions): void {
  const feedPoll = pipeline.named.operation.pathFields.has('project_id') ? feedPolls.submissions : feedPolls.events
  registerLongRead(app, pipeline, {
    ...{ ...options, running: openStreams },
    open: async (read) => {
      const fields = { ...read.fields, ...resumption(read.request) }
      const first = await read.readPage<StreamPage>(fields)
      const cursor = typeof fields.cursor === 'string' ? fields.cursor : first.next_cursor
      return { headers: HEADERS, chunks: messagesOf({ ...read, fields }, cursor, feedPoll) }
    },
  })
}

/** `Last-Event-ID` precedes the cursor: a reconnecting EventSource sends the header and the original address. */
function resumption(request: FastifyRequest): { cursor?: string } {
  const id = singleHeader(request, 'last-event-id')
  return id ? { cursor: id } : {}
}

async function* messagesOf(read: LongRead, start: string, feedPoll: FeedPolls[keyof FeedPolls]): AsyncGenerator<string> {
  const { fields, request, signal } = read
  const feed = feedPoll(read.caller().project)
  let cursor = start
  try {
    yield `retry: ${RECONNECT_MS}\n${message({ id: cursor, event: 'ready', data: JSON.stringify({ cursor }) })}`
    while (!signal.aborted) {
      if (await read.authorizeAgain()) yield ':\n\n'
      // Taken before the page is read, so that an event committed in between ends the wait below.
      const end = feed.end()
      const page = await read.readPage<StreamPage>({ ...fields, cursor })
      if (page.results.length > 0) {
        yield page.results.map((result) => messageOf(result, read)).join('')
        cursor = page.next_cursor
      } else if (end !== null && laterCursor(page.next_cursor, end) !== page.next_cursor) {
        // A page of events that were erased: the feed goes on behind it.
        cursor = page.next_cursor
      } else {
        cursor = laterCursor(cursor, end ?? cursor)
        await feed.goesOn(end, { signal, timeoutMs: Math.max(0, read.dueMs() - performance.now()) })
      }
    }
  } catch (error) {
    if (signal.aborted) return
    const failure = toApiError(error)
    if (failure.status >= 500) request.log.warn({ err: failure.cause ?? error }, 'stream ended')
    yield message({ event: 'error', data: JSON.stringify(failure.toBody(request.id)) })
  } finally {
    feed.close()
  }
}

function messageOf({ cursor, data, text }: StreamPage['results'][number], read: LongRead): string {
  const { type } = data as { type: string } // The data of every stream has a type.
  return message({ id: cursor, event: type, data: (read.caller().seesContacts ? text : undefined) ?? JSON.stringify(data) })
}

/** Encodes a message (WHATWG HTML, "Parsing an event stream"): each line of the data is prefixed; an empty line ends it. */
function message({ id, event, data }: { id?: string; event: string; data: string }): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\n${lines.join('')}\n`
}
