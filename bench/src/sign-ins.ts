import { Pool } from 'undici'
import { handleRequests } from './child-process.ts'

/** Sign-ins to make, with this many at the same time. */
export interface SignIns {
  url: string
  concurrency: number
  seconds: number
  accounts: { email: string; password: string }[]
}

export interface SignInsResult {
  perSecond: number
}

handleRequests(run)

async function run({ url, concurrency, seconds, accounts }: SignIns): Promise<SignInsResult> {
  const pool = new Pool(url, { connections: concurrency, pipelining: 1 })
  const endMs = performance.now() + seconds * 1000
  let done = 0
  const work = async () => {
    while (performance.now() < endMs) {
      const account = accounts[done % accounts.length]
      done += 1
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/api/auth/session/',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(account),
      })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`sign-in: ${statusCode} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  await pool.close()
  return { perSecond: done / seconds }
}
