import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from './errors.ts'
import type { ExpiredCursor, Streamed, StreamOptions } from './options.ts'
import { failureOf, isErrorBody, outputOf } from './reply.ts'
import type { PreparedRequest } from './request.ts'
import { statusOf } from './statuses.ts'
import { startWatchdog } from './watchdog.ts'

/**
 * Yields the items of one connection; it never ends by itself. Throws EarshotApiError when the service refuses, at the start or
 * later, EarshotConnectionError when the connection is lost, EarshotTimeoutError when the response does not start within
 * `timeoutMs`, and the reason of an aborted signal.
 */
export async function* openStream<Data>(
  fetch: typeof globalThis.fetch,
  request: PreparedRequest,
  { signal, onReady, timeoutMs }: StreamOptions & { timeoutMs: number },
): AsyncGenerator<Streamed<Data>> {
  const watchdog = startWatchdog(signal)
  let response: Response | undefined
  try {
    watchdog.expectWithin(timeoutMs, () => new EarshotTimeoutError(timeoutMs))
    response = await fetch(request.address, { ...request.init, signal: watchdog.signal })
    for await (const { id = '', event, data } of messagesOf(request.address, response, watchdog.expectBytes)) {
      if (event === 'error') throw refusalOf(data)
      if (event === 'ready') onReady?.(id)
      if (event === undefined || event === 'ready') continue
      // Nothing is read while the consumer works on an item, so silence means nothing then.
      watchdog.pause()
      yield { cursor: id, data: JSON.parse(data), text: data }
      watchdog.expectBytes()
    }
    throw new EarshotConnectionError(`${new URL(request.address).origin} ended the stream.`)
  } catch (cause) {
    if (!(cause instanceof EarshotApiError || cause instanceof EarshotConnectionError)) watchdog.signal.throwIfAborted()
    throw failureOf(cause, request.address, response)
  } finally {
    watchdog.stop()
  }
}

/** Calls `open` with the cursor to start at, and once more each time that `onExpired` names another. */
export async function* resumed<Data>(
  open: (cursor: string | undefined) => AsyncIterable<Streamed<Data>>,
  start: string | undefined,
  onExpired: StreamOptions['onExpired'],
): AsyncGenerator<Streamed<Data>> {
  let cursor = start
  while (true) {
    try {
      for await (const item of open(cursor)) {
        yield item
        cursor = item.cursor
      }
      return
    } catch (error) {
      const next = error instanceof EarshotApiError && error.code === 'cursor_expired' ? onExpired?.(expiredCursorOf(error)) : undefined
      if (next === undefined) throw error
      cursor = next
    }
  }
}

function expiredCursorOf({ fields }: EarshotApiError): ExpiredCursor {
  return { oldestCursor: String(fields.oldest_cursor), newestCursor: String(fields.newest_cursor) }
}

async function* messagesOf(address: string, response: Response, onBytes: () => void): AsyncGenerator<EventSourceMessage> {
  const { status, headers, body } = response
  if (!headers.get('content-type')?.startsWith('text/event-stream') || !body) {
    outputOf({ address, status, headers, text: await response.text() })
    throw new EarshotConnectionError(`${address} did not respond with an event stream. Is it the address of the service?`)
  }
  const messages: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (message) => messages.push(message) })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    onBytes()
    parser.feed(decoder.decode(chunk.value, { stream: true }))
    yield* messages.splice(0)
  }
}

function refusalOf(data: string): Error {
  const body: unknown = JSON.parse(data)
  if (!isErrorBody(body)) return new EarshotConnectionError('The stream ended with an unknown error.')
  return new EarshotApiError(statusOf(body.code), body)
}
