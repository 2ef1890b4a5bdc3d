import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Terminal } from './terminal.ts'
import { adviceOnVersion } from './version.ts'

/** The code of an error of the server (JSON-RPC 2.0 §5.1). */
const SERVER_ERROR = -32000
const PARSE_ERROR = -32700
/** Which parameter the header `Mcp-Name` repeats (MCP 2026-07-28, transports). */
const NAMED_BY: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** Where messages go. */
export interface Bridge {
  /** Address of `/mcp` of the service. */
  address: string
  headers: Readonly<Record<string, string>>
  fetch: typeof fetch
}

/** A message of JSON-RPC, as far as the bridge reads it. */
interface Message {
  jsonrpc?: string
  id?: string | number | null
  method?: string
  result?: { protocolVersion?: string }
  params?: { _meta?: Record<string, unknown>; [name: string]: unknown }
}

/**
 * Posts each line of the standard input to the service, and writes each message of its responses as a line: MCP over stdio for a client
 * that does not speak HTTP. The messages themselves stay as they are, in both revisions of the protocol. Ends with the input, once all
 * responses are written.
 */
export async function bridge(terminal: Terminal, { address, headers, fetch }: Bridge): Promise<void> {
  /** What the handshake of 2025 agreed on; a later revision says it in each message. */
  let agreedVersion: string | undefined

  async function carry(line: string, message: Message | null): Promise<void> {
    if (message === null) return write(failure(undefined, PARSE_ERROR, 'The line is not JSON.'))
    try {
      const response = await fetch(address, { method: 'POST', body: line, headers: { ...headers, ...headersOf(message, agreedVersion) } })
      let isAnswered = false
      for await (const text of messagesOf(response)) {
        const received = parse(text)
        if (received?.jsonrpc !== '2.0') continue
        if (message.method === 'initialize') agreedVersion = received.result?.protocolVersion ?? agreedVersion
        // The service does not know the id of a request whose body it did not read.
        const isOfMessage = received.method === undefined && (received.id === message.id || received.id === null)
        isAnswered ||= isOfMessage
        await write(isOfMessage && received.id === null && isRequest(message) ? JSON.stringify({ ...received, id: message.id }) : text)
      }
      if (!isAnswered && isRequest(message)) await write(failure(message.id, SERVER_ERROR, notRpc(response)))
    } catch (error) {
      if (isRequest(message)) await write(failure(message.id, SERVER_ERROR, reasonOf(error, address)))
    }
  }

  function notRpc({ status, headers: received }: Response): string {
    const found = `${address} responded with ${status} and ${received.get('content-type') ?? 'no content'}, not with MCP. Is it an Earshot service?`
    return [found, ...adviceOnVersion(terminal)].join(' ')
  }
  const write = (text: string) => terminal.writeAll(`${text}\n`)
  const open = new Set<Promise<void>>()
  for await (const line of createInterface({ input: Readable.from(terminal.stdin), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const message = parse(line)
    const carried = carry(line, message)
    open.add(carried)
    void carried.finally(() => open.delete(carried))
    // Later messages depend on what the handshake agrees on.
    if (message?.method === 'initialize') await carried
  }
  await Promise.all(open)
}

function headersOf({ method = '', params }: Message, agreedVersion: string | undefined): Record<string, string> {
  const version = params?._meta?.[VERSION_KEY]
  const name = params?.[NAMED_BY[method] ?? '']
  return {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(typeof version === 'string' && { 'mcp-protocol-version': version, 'mcp-method': method }),
    ...(typeof version === 'string' && typeof name === 'string' && { 'mcp-name': encoded(name) }),
    ...(version === undefined && agreedVersion !== undefined && { 'mcp-protocol-version': agreedVersion }),
  }
}

/** Headers are ASCII: any other text is Base64 of its UTF-8, between markers (MCP 2026-07-28, transports). */
function encoded(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

/** Yields the messages of a response, each on one line: its JSON, or the data of its events. */
async function* messagesOf(response: Response): AsyncGenerator<string> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.body) {
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const { data } of events) if (data !== '') yield oneLine(data)
    return
  }
  const text = await response.text()
  if (text.trim() !== '') yield oneLine(text)
}

function oneLine(json: string): string {
  return json.replaceAll(/\s*\n\s*/g, ' ')
}

/** A notification has no id, and an answer to a request of the service no method: nobody waits for a response to either. */
function isRequest({ id, method }: Message): boolean {
  return id !== undefined && id !== null && method !== undefined
}

function parse(line: string): Message | null {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null ? message : {}
  } catch {
    return null
  }
}

/** Returns what went wrong: of the network, or that nobody is signed in any more. */
function reasonOf(error: unknown, address: string): string {
  const { name, message, cause } = error as Error // fetch throws no other.
  if (name !== 'TypeError') return message
  return `${address} is not reachable: ${cause instanceof Error ? cause.message : message}`
}

function failure(id: Message['id'], code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })
}
