import { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from './errors.ts'
import type { ErrorBody } from './models.ts'
import { failureOf, outputOf } from './reply.ts'
import type { PreparedRequest } from './request.ts'
import { backoffMs, wait } from './retry.ts'
import { statusOf } from './statuses.ts'
import { startWatchdog } from './watchdog.ts'

/** The last line of an export that ended before its list did. */
interface Cut {
  next_cursor: string
  error?: ErrorBody
}

/** An export that ended early, and where it continues. */
class ExportCutError extends Error {
  override readonly name = 'ExportCutError'
  readonly cut: Cut

  constructor(cut: Cut) {
    super('The export ended early.')
    this.cut = cut
  }
}

/**
 * Yields the records of an export to the end of the list, without gaps or duplicates: what breaks off continues after the last
 * record. Throws when the service refuses, and when `maxRetries` tries in a row bring no record.
 */
export async function* continued<Data extends { id: string }>(
  open: (cursor: string | undefined) => AsyncIterable<Data>,
  { start, maxRetries, signal }: { start: string | undefined; maxRetries: number; signal: AbortSignal | undefined },
): AsyncGenerator<Data> {
  let cursor = start
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const record of open(cursor)) {
        yield record
        cursor = record.id
        failures = 0
      }
      return
    } catch (error) {
      const cut = error instanceof ExportCutError ? error.cut : undefined
      const failure = cut?.error ? new EarshotApiError(statusOf(cut.error.code), cut.error) : error
      if (!isPassing(failure) || failures >= maxRetries) throw failure
      cursor = cut?.next_cursor ?? cursor
      await wait(backoffMs(failures), signal)
    }
  }
}

/** Returns whether an export continues after this failure: the connection broke, or the service stopped or lacked something. */
function isPassing(failure: unknown): boolean {
  if (failure instanceof EarshotApiError) return failure.status === 503 || failure.status === 429
  return failure instanceof EarshotConnectionError || failure instanceof ExportCutError
}

/** Yields the records of one NDJSON response. Throws like `readBytes`, and ExportCutError when the export ended early. */
export async function* readRecords<Data>(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Data> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') continue
      const record: object = JSON.parse(line)
      if (!('id' in record)) throw new ExportCutError(record as Cut) // Records have ids.
      yield record as Data // The service checked it.
    }
  }
  if (rest !== '') throw new EarshotConnectionError('The export ended within a record.')
}

/** Yields the bytes of a response of the given type, as fast as they are consumed. Throws like `openStream`. */
export async function* readBytes(
  fetch: typeof globalThis.fetch,
  { address, init }: PreparedRequest,
  { type, signal, timeoutMs }: { type: string; signal: AbortSignal | undefined; timeoutMs: number },
): AsyncGenerator<Uint8Array> {
  const watchdog = startWatchdog(signal)
  let response: Response | undefined
  try {
    watchdog.expectWithin(timeoutMs, () => new EarshotTimeoutError(timeoutMs))
    response = await fetch(address, { ...init, signal: watchdog.signal })
    const { status, headers, body } = response
    if (!headers.get('content-type')?.startsWith(type) || !body) {
      outputOf({ address, status, headers, text: await response.text() })
      throw new EarshotConnectionError(`${address} did not respond with an export. Is it the address of the service?`)
    }
    const reader = body.getReader()
    watchdog.expectBytes()
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      // Nothing is read while the consumer works, so silence means nothing then.
      watchdog.pause()
      yield chunk.value
      watchdog.expectBytes()
    }
  } catch (cause) {
    if (!(cause instanceof EarshotApiError || cause instanceof EarshotConnectionError)) watchdog.signal.throwIfAborted()
    throw failureOf(cause, address, response)
  } finally {
    watchdog.stop()
  }
}
