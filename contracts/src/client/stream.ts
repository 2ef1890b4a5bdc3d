import { errorRow } from '../errors.ts'
import { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from './errors.ts'
import { isErrorBody, outputOf, reasonOf } from './reply.ts'
import type { CallOptions, PreparedRequest } from './request.ts'

/** The service says something every 15 seconds; after three times nothing the connection is dead. */
const SILENCE_MS = 45_000

/** An item of a stream. */
export interface Streamed<Data> {
  /** Where to go on behind it: the `cursor` of the next call. */
  cursor: string
  data: Data
  /** The data as it came. */
  text: string
}

export interface StreamOptions extends Pick<CallOptions, 'signal' | 'timeoutMs' | 'headers'> {
  /** Called with the cursor where the stream begins, before its first item. */
  onReady?: (cursor: string) => void
}

interface Message {
  id?: string
  event?: string
  data?: string
}

/**
 * One connection, item after item; it never ends by itself. Throws EarshotApiError when the service refuses, also later on,
 * EarshotConnectionError when the connection is lost, EarshotTimeoutError when the answer does not begin within
 * `timeoutMs`, and the reason of an aborted signal.
 */
export async function* openStream<Data>(
  fetch: typeof globalThis.fetch,
  request: PreparedRequest,
  { signal, onReady, timeoutMs }: StreamOptions & { timeoutMs: number },
): AsyncGenerator<Streamed<Data>> {
  const watch = createWatch(signal)
  try {
    watch.expectWithin(timeoutMs, () => new EarshotTimeoutError(timeoutMs))
    const response = await fetch(request.address, { ...request.init, signal: watch.signal })
    for await (const { id = '', event, data = '' } of messagesOf(request.address, response, watch.expectBytes)) {
      if (event === 'error') throw refusalOf(data)
      if (event === 'ready') onReady?.(id)
      if (event === undefined || event === 'ready') continue
      // Whoever takes long over an item hears nothing meanwhile.
      watch.rest()
      yield { cursor: id, data: JSON.parse(data), text: data }
      watch.expectBytes()
    }
    throw new EarshotConnectionError(`${new URL(request.address).origin} has ended the stream.`)
  } catch (cause) {
    if (cause instanceof EarshotApiError || cause instanceof EarshotConnectionError) throw cause
    watch.signal.throwIfAborted()
    throw new EarshotConnectionError(`${new URL(request.address).origin} is not reachable: ${reasonOf(cause)}.`, { cause })
  } finally {
    watch.stop()
  }
}

/** WHATWG HTML, "Parsing an event stream", as far as the service makes use of it: lines end in LF. */
async function* messagesOf(address: string, response: Response, onBytes: () => void): AsyncGenerator<Message> {
  const { status, headers, body } = response
  if (!headers.get('content-type')?.startsWith('text/event-stream') || !body) {
    outputOf({ address, status, headers, text: await response.text() })
    throw new EarshotConnectionError(`${address} did not answer with a stream; is this its address?`)
  }
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    onBytes()
    const blocks = (rest + decoder.decode(chunk.value, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield messageOf(block)
  }
}

function messageOf(block: string): Message {
  const message: Message = {}
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/s.exec(line) ?? []
    if (name === 'data') message.data = message.data === undefined ? value : `${message.data}\n${value}`
    else if (name === 'id' || name === 'event') message[name] = value
  }
  return message
}

function refusalOf(data: string): Error {
  const body: unknown = JSON.parse(data)
  if (!isErrorBody(body)) return new EarshotConnectionError('The stream ended with an error that is none of the service.')
  return new EarshotApiError(errorRow(body.code).status, body)
}

/** Aborts when the caller does, and when something that is expected does not come. */
function createWatch(signal: AbortSignal | undefined) {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  const expectWithin = (ms: number, failure: () => Error) => {
    clearTimeout(timer)
    timer = setTimeout(() => controller.abort(failure()), ms)
  }
  return {
    signal: controller.signal,
    expectWithin,
    rest: () => clearTimeout(timer),
    expectBytes: () => expectWithin(SILENCE_MS, () => new EarshotConnectionError(`The stream said nothing for ${SILENCE_MS / 1000} s.`)),
    stop: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      // Whoever stops listening leaves no connection open.
      controller.abort()
    },
  }
}
