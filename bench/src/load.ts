import { Pool } from 'undici'
import { handleRequests } from './child-process.ts'

/** The load to generate: a number of requests over a number of connections, to the targets in turn. */
export interface Load {
  url: string
  connections: number
  requests: number
  /** The expected status of each response. */
  status: number
  targets: {
    method: 'GET' | 'POST'
    path: string
    headers: Record<string, string>
    /** Sent as it is, from another client address each time. */
    body?: object
  }[]
  /** Sent to every target, with a unique text and from another client address each time. */
  body?: object
}

export interface LoadResult {
  tookMs: number
}

const ADDRESSES = 200_000
let sent = 0

handleRequests(run)

async function run(load: Load): Promise<LoadResult> {
  const pool = new Pool(load.url, { connections: load.connections, pipelining: 1 })
  let left = load.requests
  const startedMs = performance.now()
  const work = async () => {
    while (left > 0) {
      left -= 1
      await send(pool, load)
    }
  }
  await Promise.all(Array.from({ length: load.connections }, work))
  const tookMs = performance.now() - startedMs
  await pool.close()
  return { tookMs }
}

async function send(pool: Pool, { targets, status, body }: Load): Promise<void> {
  sent += 1
  const target = targets[sent % targets.length]
  if (!target) throw new Error('A load needs at least one target.')
  const { body: own, ...request } = target
  const content = body ? { ...body, body: `Submission ${sent} of a visitor who liked it.` } : own
  const response = await pool.request({
    ...request,
    ...(content && {
      headers: { ...target.headers, 'content-type': 'application/json', 'x-forwarded-for': addressOf(sent % ADDRESSES) },
      body: JSON.stringify(content),
    }),
  })
  const text = await response.body.text()
  if (response.statusCode !== status) throw new Error(`${target.method} ${target.path}: ${response.statusCode} ${text}`)
}

function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}
