import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { answerParent } from './child-process.ts'

/** A request at a steady rate, whatever the answers take. */
export interface Steady {
  url: string
  path: string
  headers: Record<string, string>
  perSecond: number
  seconds: number
}

export interface SteadyResult {
  /** How long each answer took, from the moment when its request was due. */
  tookMs: number[]
}

answerParent(run)

async function run({ url, path, headers, perSecond, seconds }: Steady): Promise<SteadyResult> {
  const pool = new Pool(url, { connections: 16, pipelining: 1 })
  const tookMs: number[] = []
  const startedMs = performance.now()
  const answers: Promise<void>[] = []
  for (let number = 0; number < perSecond * seconds; number += 1) {
    const dueMs = startedMs + (number * 1000) / perSecond
    await delay(Math.max(0, dueMs - performance.now()))
    answers.push(
      pool.request({ method: 'GET', path, headers }).then(async ({ statusCode, body }) => {
        await body.text()
        if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`)
        tookMs.push(performance.now() - dueMs)
      }),
    )
  }
  await Promise.all(answers)
  await pool.close()
  return { tookMs }
}
