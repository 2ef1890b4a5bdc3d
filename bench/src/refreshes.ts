import { createHash, randomBytes } from 'node:crypto'
import type { DatabaseAddress } from '@earshot/db'
import { Pool } from 'undici'
import { handleRequests } from './child-process.ts'
import { openPlain } from './plain-client.ts'

/** Chains of refresh tokens, one for each login. */
export interface Refreshes {
  /** HTTP, or the bare statement on the database. */
  over: { url: string } | { address: DatabaseAddress }
  /** The current refresh token of each chain. */
  chain: string[]
  seconds: number
}

export interface RefreshesResult {
  perSecond: number
  chain: string[]
}

/** The pool size of the service on two processors. */
const POOL = 5
const LIFETIME = "interval '14 days'"

handleRequests(run)

async function run({ over, chain, seconds }: Refreshes): Promise<RefreshesResult> {
  const { exchange, close } = 'url' in over ? overHttp(over.url, chain.length) : bare(over.address)
  const endMs = performance.now() + seconds * 1000
  let done = 0
  const ended = await Promise.all(
    chain.map(async (first) => {
      let token = first
      while (performance.now() < endMs) {
        token = await exchange(token)
        done += 1
      }
      return token
    }),
  )
  await close()
  return { perSecond: done / seconds, chain: ended }
}

function overHttp(url: string, connections: number) {
  const pool = new Pool(url, { connections, pipelining: 1 })
  const headers = { 'content-type': 'application/json' }
  return {
    async exchange(refresh: string): Promise<string> {
      const body = JSON.stringify({ refresh })
      const response = await pool.request({ method: 'POST', path: '/api/auth/token/refresh/', headers, body })
      const pair = (await response.body.json()) as { refresh?: string } // As the contract says.
      if (pair.refresh === undefined) throw new Error(`refresh: ${response.statusCode} ${JSON.stringify(pair)}`)
      return pair.refresh
    },
    close: () => pool.close(),
  }
}

/** Exchanges with the SQL statement alone: no HTTP, authorization or signing. */
function bare(address: DatabaseAddress) {
  const sql = openPlain(address, POOL)
  return {
    async exchange(token: string): Promise<string> {
      const next = `svr_${randomBytes(30).toString('base64url')}`
      const [row] = await sql`
        select *
          from rotate_refresh_token(${hashOf(token)}, 'jwt', null, null, ${hashOf(next)}, now() + ${sql.unsafe(LIFETIME)}, null, null, 0)`
      if (row?.outcome !== 'rotated') throw new Error(`bare: ${row?.outcome}`)
      return next
    },
    close: () => sql.end(),
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
