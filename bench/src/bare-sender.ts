import { createHmac, randomUUID } from 'node:crypto'
import type { DatabaseAddress } from '@earshot/db'
import type { Sql } from 'postgres'
import { Pool } from 'undici'
import { handleRequests } from './child-process.ts'
import { openPlain } from './plain-client.ts'
import { atRate } from './webhooks/steady-rate.ts'

export interface BareSend {
  address: DatabaseAddress
  url: string
  payload: string
  deliveries: number
  team_id: string
  /** At this rate, however many are in flight; as fast as it can unless given. */
  perSecond?: number
}

const CONCURRENCY = 32
const POOL = 4

let sql: Sql | undefined
let pool: Pool | undefined

handleRequests(send, async () => {
  await Promise.all([pool?.close(), sql?.end()])
})

/** Sends without a queue: sign, POST, and insert one row with the result. */
async function send({ address, url, payload, deliveries, team_id, perSecond }: BareSend): Promise<{ tookMs: number }> {
  // Kept between calls, because the processor time of a backend that ends is lost.
  sql ??= openPlain(address, POOL)
  pool ??= new Pool(url, { connections: CONCURRENCY })
  const open = { sql, pool }
  const startedMs = performance.now()
  if (perSecond !== undefined) {
    await atRate({ perSecond, seconds: deliveries / perSecond }, () => sendOne(open, { payload, team_id }))
    return { tookMs: performance.now() - startedMs }
  }
  let left = deliveries
  const work = async () => {
    while (left > 0) {
      left -= 1
      await sendOne(open, { payload, team_id })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return { tookMs: performance.now() - startedMs }
}

async function sendOne({ pool, sql }: { pool: Pool; sql: Sql }, { payload, team_id }: { payload: string; team_id: string }): Promise<void> {
  const id = randomUUID()
  const signature = createHmac('sha256', 'secret').update(`${id}.${payload}`).digest('base64')
  const response = await pool.request({
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/json', 'webhook-id': id, 'webhook-signature': `v1,${signature}` },
    body: payload,
  })
  const body = await response.body.text()
  await sql`
    insert into webhook_attempts (team_id, delivery_id, endpoint_id, number, trigger, worker_id, finished_at, status_code, response_body)
    values (${team_id}, ${id}, ${id}, 1, 'auto', 0, now(), ${response.statusCode}, ${Buffer.from(body)})`
}
