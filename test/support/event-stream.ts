import { numberFeeds } from '@earshot/db/dispatch'
import { EventSource } from 'eventsource'
import type { Team } from './people.ts'
import type { TestService } from './test-service.ts'

interface Message {
  id: string | null
  event: string | null
  data: string
}

/** An open stream and what it has received so far. */
export interface OpenStream {
  status: number
  headers: Headers
  text: () => string
  messages: () => Message[]
  /** Ids of the events, in order. */
  ids: () => string[]
  /** Whether the service has ended it. */
  hasEnded: () => boolean
  close: () => void
}

export async function openStream(
  { url }: Pick<TestService, 'url'>,
  team: Pick<Team, 'id' | 'token'>,
  { path = 'events/stream/', query = '', headers = {} }: { path?: string; query?: string; headers?: Record<string, string> } = {},
): Promise<OpenStream> {
  const ending = new AbortController()
  const response = await fetch(`${url}/api/v1/teams/${team.id}/${path}${query}`, {
    headers: { ...(team.token && { authorization: `Bearer ${team.token}` }), ...headers },
    signal: ending.signal,
  })
  let text = ''
  let hasEnded = false
  // Read once each: tests ask again and again.
  const messages: Message[] = []
  const ids: string[] = []
  let begun = ''
  const read = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const blocks = (begun + chunk).split('\n\n')
      begun = blocks.pop() ?? ''
      messages.push(...blocks.filter(hasData).map(messageOf))
    }
    hasEnded = true
  }
  read().catch(() => {})
  let withId = 0
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    messages: () => [...messages],
    ids() {
      for (const { event, data } of messages.slice(withId)) if (event?.includes('.')) ids.push(JSON.parse(data).id)
      withId = messages.length
      return [...ids]
    },
    hasEnded: () => hasEnded,
    close: () => ending.abort(),
  }
}

/** Follows a stream with the WHATWG client from npm, which reconnects by itself; only the token is added. */
export function followWithEventSource(address: string, token: string, types: readonly string[]) {
  const source = new EventSource(address, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
  })
  const ids: string[] = []
  const counts = { opened: 0 }
  source.addEventListener('open', () => {
    counts.opened += 1
  })
  for (const type of types) source.addEventListener(type, ({ data }) => ids.push(JSON.parse(data).id))
  return { ids, counts, close: () => source.close(), isClosed: () => source.readyState === source.CLOSED }
}

/** Numbers events and changes of submissions, as a worker does at each tick. */
export async function number({ database }: Pick<TestService, 'database'>): Promise<void> {
  await numberFeeds(database, { max: 5_000 })
}

/** A client dispatches no message without data (WHATWG HTML, "Interpreting an event stream"): a heartbeat is none. */
function hasData(block: string): boolean {
  return /^data:/m.test(block)
}

function messageOf(block: string): Message {
  const fields = block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const)
  const textOf = (name: string) => fields.find(([field]) => field === name)?.[1] ?? null
  return {
    id: textOf('id'),
    event: textOf('event'),
    data: fields.flatMap(([field, value]) => (field === 'data' ? [value] : [])).join('\n'),
  }
}
