import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { handleRequests } from './child-process.ts'

/** Requests at a steady rate, however long the responses take. */
export interface SteadyLoad {
  url: string
  path: string
  headers: Record<string, string>
  perSecond: number
  seconds: number
}

export interface SteadyLoadResult {
  /** The time of each response, counted from when its request was due. */
  tookMs: number[]
}

handleRequests(run)

async function run({ url, path, headers, perSecond, seconds }: SteadyLoad): Promise<SteadyLoadResult> {
  const pool = new Pool(url, { connections: 16, pipelining: 1 })
  const tookMs: number[] = []
  const startedMs = performance.now()
  const responses: Promise<void>[] = []
  for (let number = 0; number < perSecond * seconds; number += 1) {
    const dueMs = startedMs + (number * 1000) / perSecond
    await delay(Math.max(0, dueMs - performance.now()))
    responses.push(
      pool.request({ method: 'GET', path, headers }).then(async ({ statusCode, body }) => {
        await body.text()
        if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`)
        tookMs.push(performance.now() - dueMs)
      }),
    )
  }
  await Promise.all(responses)
  await pool.close()
  return { tookMs }
}
