import type { Exchange } from './exchange.ts'
import type { Message } from './failure.ts'

/** A request as the SDK reads it. */
export interface McpRequest {
  url: string
  /** Those that the SDK reads, in the order in which they came. */
  headers: [name: string, value: string][]
  message: Message
}

/** The answer to one HTTP request. */
export interface Answer {
  status: number
  headers: Iterable<[name: string, value: string]>
  body: Buffer
}

/** What the SDK wrote around the output and the id of a successful call. */
interface Template {
  status: number
  headers: [name: string, value: string][]
  beforeOutput: string
  beforeId: string
  end: string
}

/** The JSON of `placeForOutput` in the response. */
const PLACE = '"text":""}],"structuredContent":{}'
const PROTOCOL_PREFIX = 'io.modelcontextprotocol/'
const MAX_TEMPLATES = 500
const MAX_KEY_CHARACTERS = 2_000

/**
 * A cache of how the SDK answered calls that succeeded. Its answer to another call with the same headers and the same message but for the
 * id and the arguments differs in the id and the output alone, so that it need not read and write each of them again.
 */
export function createTemplates() {
  const templates = new Map<string, Template>()
  return {
    find: (key: string | null): Template | undefined => (key === null ? undefined : templates.get(key)),
    keep: (key: string | null, { status, headers }: Response, answered: { text: string; id: unknown }): void => {
      const template = key === null ? null : splitAround(answered)
      if (key === null || template === null) return
      const [oldest] = templates.keys()
      if (templates.size >= MAX_TEMPLATES && oldest !== undefined) templates.delete(oldest)
      templates.set(key, { status, headers: [...headers], ...template })
    },
  }
}

/**
 * Returns the cache key of a call: all that the SDK reads of it but its id and its arguments, which it passes on. Returns null for what is
 * not cached: other messages, calls that were refused or ask the person first, and ids of another type.
 */
export function cacheKeyOf({ headers, message }: McpRequest, { call }: Exchange): string | null {
  const { id, params, ...rest } = message
  if (rest.method !== 'tools/call' || call === null || 'failure' in call || call.tool.isDestructive || !isId(id)) return null
  // The call was authorized, so it has params, and its arguments are an object or absent.
  const { arguments: _args, ...others } = params as Record<string, unknown>
  const { _meta: meta } = others
  const isObject = typeof meta === 'object' && meta !== null && !Array.isArray(meta)
  if (isObject) others._meta = Object.fromEntries(Object.entries(meta).filter(isRead))
  const key = JSON.stringify([headers, rest, others])
  return key.length <= MAX_KEY_CHARACTERS ? key : null
}

/**
 * A client's own fields in `_meta`, such as those for tracing, are not read, and a token for progress is checked alone, as no call reports
 * any. They differ from call to call.
 */
function isRead([name, value]: [string, unknown]): boolean {
  return name === 'progressToken' ? !isId(value) : name.startsWith(PROTOCOL_PREFIX)
}

/** Ids and tokens are texts or integers. */
function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/** The result of a call, in which the output is written later: once as JSON, although the protocol wants it twice. */
export function placeForOutput() {
  return { content: [{ type: 'text' as const, text: '' }], structuredContent: {} }
}

/** Answers a call as the SDK answered another one with its cache key. */
export function fillTemplate({ status, headers, beforeOutput, beforeId, end }: Template, id: unknown, output: string): Answer {
  const body = beforeOutput + fieldsOf(output) + beforeId + JSON.stringify(id) + end
  return { status, headers, body: Buffer.from(body) }
}

/** Writes the output into a response of the SDK that has its place. */
export function withOutput(response: string, output: string): string {
  if (!response.includes(PLACE)) throw new Error('The response has no place for the output')
  return response.replace(PLACE, () => fieldsOf(output))
}

/** The JSON that takes the place: the output as text and as structure. */
function fieldsOf(output: string): string {
  return `"text":${JSON.stringify(output)}}],"structuredContent":${output}`
}

/** Returns null where the id does not stand once, after the output: a version of the SDK that writes otherwise answers each call itself. */
function splitAround({ text, id }: { text: string; id: unknown }) {
  const [beforeOutput = '', after, more] = text.split(PLACE)
  const [beforeId = '', end, again] = (after ?? '').split(`"id":${JSON.stringify(id)}`)
  return end === undefined || more !== undefined || again !== undefined ? null : { beforeOutput, beforeId: `${beforeId}"id":`, end }
}
